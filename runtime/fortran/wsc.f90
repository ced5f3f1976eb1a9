! SPDX-License-Identifier: MIT
!
! wsc.f90 - what surrounds kernels, for Fortran; kernels are C, and called through an interface with bind(c):
!
!   use wsc
!   interface
!       subroutine scale(n, y, x) bind(c)
!           import
!           integer(c_int), value :: n
!           real(c_float) :: y(*), x(*)
!       end subroutine
!   end interface
!
! Compiled with the program, since each Fortran compiler has modules of its own form: gfortran $(wscc --ws-print=fortran) main.f90 ...
! A matrix of Fortran, A(M, K), is the row-major K x M matrix of C.
module wsc
    use, intrinsic :: iso_c_binding
    implicit none
    public

    enum, bind(c)
        enumerator :: WS_OK = 0, WS_ERR_ARGUMENT, WS_ERR_TYPE, WS_ERR_OVERLAP, WS_ERR_MEMORY, WS_ERR_DEVICE, WS_ERR_LAUNCH, &
            WS_ERR_UNSUPPORTED, WS_ERR_PROTOCOL
    end enum

    ! Stored numbers that Fortran has no arithmetic for.
    type, bind(c) :: ws_f16
        integer(c_short) :: bits
    end type
    type, bind(c) :: ws_bf16
        integer(c_short) :: bits
    end type
    type, bind(c) :: ws_e4m3
        integer(c_signed_char) :: bits
    end type
    type, bind(c) :: ws_e5m2
        integer(c_signed_char) :: bits
    end type

    interface
        type(ws_f16) pure function ws_f16_from(x) bind(c)
            import :: ws_f16, c_float
            real(c_float), value :: x
        end function
        type(ws_bf16) pure function ws_bf16_from(x) bind(c)
            import :: ws_bf16, c_float
            real(c_float), value :: x
        end function
        type(ws_e4m3) pure function ws_e4m3_from(x) bind(c)
            import :: ws_e4m3, c_float
            real(c_float), value :: x
        end function
        type(ws_e5m2) pure function ws_e5m2_from(x) bind(c)
            import :: ws_e5m2, c_float
            real(c_float), value :: x
        end function
        real(c_float) pure function ws_f16_to(x) bind(c)
            import :: ws_f16, c_float
            type(ws_f16), value :: x
        end function
        real(c_float) pure function ws_bf16_to(x) bind(c)
            import :: ws_bf16, c_float
            type(ws_bf16), value :: x
        end function
        real(c_float) pure function ws_e4m3_to(x) bind(c)
            import :: ws_e4m3, c_float
            type(ws_e4m3), value :: x
        end function
        real(c_float) pure function ws_e5m2_to(x) bind(c)
            import :: ws_e5m2, c_float
            type(ws_e5m2), value :: x
        end function

        type(c_ptr) function ws_alloc(bytes) bind(c)
            import :: c_ptr, c_size_t
            integer(c_size_t), value :: bytes
        end function
        type(c_ptr) function ws_alloc_on(device, bytes) bind(c)
            import :: c_ptr, c_int, c_size_t
            integer(c_int), value :: device
            integer(c_size_t), value :: bytes
        end function
        integer(c_int) function ws_devices() bind(c)
            import :: c_int
        end function
        ! A team's processes; name: c_null_ptr, or a text that c_null_char ends.
        type(c_ptr) function ws_team_open(name) bind(c)
            import :: c_ptr
            type(c_ptr), value :: name
        end function
        integer(c_int) function ws_team_rank(team) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: team
        end function
        integer(c_int) function ws_team_size(team) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: team
        end function
        integer(c_int) function ws_team_has(team, member) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: team
            integer(c_int), value :: member
        end function
        integer(c_int) function ws_team_alloc(team, bytes, to) bind(c)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: team
            integer(c_size_t), value :: bytes
            type(c_ptr), intent(out) :: to(*)
        end function
        integer(c_int) function ws_team_wait(team) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: team
        end function
        subroutine ws_team_close(team) bind(c)
            import :: c_ptr
            type(c_ptr), value :: team
        end subroutine
        subroutine ws_free(p) bind(c)
            import :: c_ptr
            type(c_ptr), value :: p
        end subroutine
        integer(c_int) function ws_copy(to, from, bytes) bind(c)
            import :: c_ptr, c_size_t, c_int
            type(c_ptr), value :: to, from
            integer(c_size_t), value :: bytes
        end function
        integer(c_int) function ws_sync() bind(c)
            import :: c_int
        end function
        integer(c_int) function ws_last_error() bind(c)
            import :: c_int
        end function
        subroutine ws_or_die(status) bind(c)
            import :: c_int
            integer(c_int), value :: status
        end subroutine
        subroutine ws_set_stream(stream) bind(c)
            import :: c_ptr
            type(c_ptr), value :: stream
        end subroutine
    end interface

contains

    function ws_error_message() result(text)
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        type(c_ptr) :: message
        integer :: i
        interface
            type(c_ptr) function message_of() bind(c, name="ws_error_message")
                import :: c_ptr
            end function
            integer(c_size_t) function length_of(text) bind(c, name="strlen")
                import :: c_ptr, c_size_t
                type(c_ptr), value :: text
            end function
        end interface
        message = message_of()
        call c_f_pointer(message, letters, [length_of(message)])
        allocate(character(len=size(letters)) :: text)
        do i = 1, size(letters)
            text(i:i) = letters(i)
        end do
    end function
end module
