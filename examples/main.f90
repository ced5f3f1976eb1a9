! SPDX-License-Identifier: MIT
! wscc -O2 -c gemm.c && gfortran $(wscc --ws-print=fortran) main.f90 gemm.o $(wscc --ws-print=libs) -o prog && ./prog
program main
    use wsc
    implicit none
    interface
        subroutine gemm(M, N, K, A, B, C) bind(c)
            import
            integer(c_int), value :: M, N, K
            type(ws_f16) :: A(*), B(*), C(*)
        end subroutine
    end interface
    type(ws_f16) :: a(64, 40), b(64, 48), c(48, 40)  ! C's rows are Fortran's columns
    integer :: i, j, k, sum
    a = ws_f16_from(1.0)
    do j = 1, 48
        do k = 1, 64
            b(k, j) = ws_f16_from(real(mod(64 * (j - 1) + k - 1, 3)))
        end do
    end do
    call gemm(40, 48, 64, a, b, c)
    if (ws_last_error() /= WS_OK) error stop ws_error_message()
    do j = 1, 48
        sum = 0
        do k = 1, 64
            sum = sum + mod(64 * (j - 1) + k - 1, 3)
        end do
        do i = 1, 40
            if (nint(ws_f16_to(c(j, i))) /= sum) error stop "wrong"
        end do
    end do
end program
