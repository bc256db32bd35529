! The description of a Fortran procedure names the variables that the procedure uses: in the order
! of their declarations, without those of the procedure around it.
!
! REQUIRES: fortran
! RUN: printf 'fun:*\n' > allow.txt
! RUN: %each-level '%fc $LEVEL %plugin %allow=../allow.txt %s -o prog %lib && DFTRACER_ENABLE=1 ./prog \
! RUN:   && zcat trace-prog-*.pfw.gz | grep "\"name\":\"function\"" \
! RUN:   | sed "s/.*\"function\":\"\([^\"]*\)\".*\"locals\":\"\([^\"]*\)\".*/\1 = \2/" | sort | FileCheck %s'
!
! CHECK:      {{^}}MAIN__ = i,numbers{{$}}
! CHECK:      {{^}}inner = own{{$}}
! CHECK:      {{^}}work::host = zeta,alpha,room,counter,in_block{{$}}
! CHECK-NEXT: {{^}}work::twice = y,t{{$}}

module work
    implicit none
contains
    subroutine host(n, a)
        integer, intent(in) :: n
        real, intent(inout) :: a(n)
        integer :: zeta, alpha
        real, allocatable :: room(:)
        integer, save :: counter = 0
        allocate (room(n))
        zeta = n
        alpha = zeta + 1
        counter = counter + alpha
        room = a
        block
            integer :: in_block
            in_block = zeta
            call inner(in_block)
        end block
        a = room + real(counter)
    contains
        subroutine inner(k)
            integer, intent(in) :: k
            integer :: own
            own = k + alpha
            zeta = own
        end subroutine
    end subroutine

    function twice(x) result(y)
        real, intent(in) :: x
        real :: y, t
        t = x*2
        y = t
    end function
end module

program main
    use work
    implicit none
    integer :: i
    real :: numbers(4)
    do i = 1, 4
        numbers(i) = twice(real(i))
    end do
    call host(4, numbers)
    if (numbers(1) < 0) stop 1
end program
