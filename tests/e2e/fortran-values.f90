! Fortran passes by reference: for a number its value at the beginning of the call is recorded, for
! a character argument as many characters as are declared or passed. Arrays are passed by
! descriptors that are not in the source, and are not recorded.
!
! REQUIRES: fortran
! RUN: printf '[args]\nsolver::*\nsolver::login !password\n' > allow.txt
! RUN: %each-level '%fc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
! RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz \
! RUN:   && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'
!
! CHECK:      solver::scale {"n":3,"factor":2.5,"verbose":true,"small":-7,"return":7.5}
! CHECK-NEXT: solver::count {"n":4,"by_value":5}
! CHECK-NEXT: solver::turn {"z":[1.0,-2.5],"twice":[0.1,3.0],"wide":-4,"by_value":[5.0,6.0],"return":[2.5,1.0]}
! CHECK-NEXT: solver::label {"name":"pressure","fixed":"abc","letter":"x","unit":"","n":1}
! CHECK-NEXT: solver::label {"name":"","fixed":"def","letter":"y","unit":"{{u+}}…","n":2}
! CHECK-NEXT: solver::login {"user":"me"}

module solver
  implicit none
contains
  double precision function scale(n, factor, verbose, small, values)
    integer, intent(inout) :: n
    double precision, intent(in) :: factor
    logical, intent(in) :: verbose
    integer(kind=1), intent(in) :: small
    real, intent(inout) :: values(:)
    values = values * small
    scale = n * factor
    if (verbose) n = n + 1
  end function scale

  subroutine count(n, by_value)
    integer, intent(inout) :: n
    integer, value :: by_value
    n = n + by_value
  end subroutine count

  complex function turn(z, twice, wide, by_value)
    complex, intent(in) :: z
    complex(kind=8), intent(in) :: twice
    integer(kind=16), intent(in) :: wide
    complex, value :: by_value
    turn = z * (0.0, 1.0)
    if (real(twice) < 0 .or. wide > 0 .or. real(by_value) < 0) turn = 0
  end function turn

  subroutine label(name, fixed, letter, unit, n)
    character(*), intent(in) :: name
    character(3), intent(in) :: fixed
    character, intent(in) :: letter
    character(*), intent(in), optional :: unit
    integer, intent(in) :: n
    if (n > 2) print *, name, fixed, letter, unit
  end subroutine label

  subroutine login(user, password)
    character(*), intent(in) :: user, password
    if (user == password) print *, user
  end subroutine login
end module solver

program main
  use solver
  implicit none
  integer :: n = 3
  real :: v(2) = (/ 1.0, 2.0 /)
  double precision :: r
  complex :: z
  r = scale(n, 2.5d0, .true., -7_1, v)
  call count(n, 5)
  z = turn((1.0, -2.5), (0.1d0, 3.0d0), -4_16, (5.0, 6.0))
  call label('pressure', 'abc', 'x', n=1)
  call label('', 'def', 'y', repeat('u', 300), 2)
  call login('me', 'tell-nobody')
  if (real(z) /= 2.5 .or. aimag(z) /= 1.0) stop 2
  if (n /= 9 .or. r /= 7.5d0) stop 1
end program main
