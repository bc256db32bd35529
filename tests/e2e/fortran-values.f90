! Fortran passes by reference: what is recorded of a number is its value, at the beginning of the call.
! What an array is passed by is not in the source, and not recorded.
!
! REQUIRES: fortran
! RUN: printf '[args]\nsolver::*\n' > allow.txt
! RUN: %each-level '%fc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
! RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz \
! RUN:   && %show-values trace-prog-*.pfw.gz | FileCheck %s --match-full-lines'
!
! CHECK:      solver::scale {"n":3,"factor":2.5,"verbose":true,"small":-7,"return":7.5}
! CHECK-NEXT: solver::count {"n":4,"by_value":5}

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
end module solver

program main
  use solver
  implicit none
  integer :: n = 3
  real :: v(2) = (/ 1.0, 2.0 /)
  double precision :: r
  r = scale(n, 2.5d0, .true., -7_1, v)
  call count(n, 5)
  if (n /= 9 .or. r /= 7.5d0) stop 1
end program main
