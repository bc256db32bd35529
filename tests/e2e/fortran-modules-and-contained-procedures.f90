! Fortran: a module's procedures, a contained procedure and the main program are traced.
!
! REQUIRES: fortran
! RUN: printf 'src:*fortran-modules*\n' > allow.txt
! RUN: %each-level '%fc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
! RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --tree > tree.txt \
! RUN:   && FileCheck %s --input-file=tree.txt --ignore-case'
!
! CHECK:      {{main}}
! CHECK:      {{solver.*relax}}
! CHECK-NEXT: {{^ +}}{{.*average}}
! CHECK-NEXT: {{^ +}}{{.*average}}
! CHECK-NEXT: {{^ +}}{{.*average}}
! CHECK-NEXT: {{solver.*norm}}
! CHECK-NOT:  average

module solver
  implicit none
contains
  subroutine relax(x)
    real, intent(inout) :: x(:)
    integer :: i
    do i = 2, size(x) - 1
      x(i) = average(x(i - 1), x(i + 1))
    end do
  contains
    real function average(a, b)
      real, intent(in) :: a, b
      average = 0.5 * (a + b)
    end function average
  end subroutine relax

  real function norm(x)
    real, intent(in) :: x(:)
    norm = sum(abs(x))
  end function norm
end module solver

program heat
  use solver
  implicit none
  real :: x(5)
  x = [1.0, 0.0, 0.0, 0.0, 1.0]
  call relax(x)
  if (norm(x) < 2.0) stop 1
end program heat
