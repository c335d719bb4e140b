"""The C API (heddle/heddle.h) as classes: a GPU, its modules and kernels, buffers of its memory."""

from __future__ import annotations

import array
import ctypes as c
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Union

from . import _find

Number = Union[int, float]


class HeddleError(RuntimeError):
    """A call that failed. `status` is the name of heddle_status: BAD_INPUT, UNSUPPORTED, FAULT, LIMIT, HOST, DEADLOCK, BROKEN."""

    def __init__(self, status: str, text: str):
        super().__init__(text or status)
        self.status = status


_STATUS = ["OK", "BAD_INPUT", "UNSUPPORTED", "FAULT", "LIMIT", "HOST", "DEADLOCK", "BROKEN"]
_PRINT = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(c.c_char), c.c_size_t)


class _Options(c.Structure):
    _fields_ = [
        ("size", c.c_size_t), ("gpu", c.c_char_p), ("settings", c.c_char_p), ("functional", c.c_int), ("unchecked", c.c_int),
        ("memory_bytes", c.c_uint64), ("max_cycles", c.c_uint64), ("max_instructions", c.c_uint64), ("print", _PRINT),
        ("print_user", c.c_void_p),
    ]


class _Shape(c.Structure):
    _fields_ = [("grid", c.c_uint32 * 3), ("block", c.c_uint32 * 3), ("shared_bytes", c.c_uint32), ("cooperative", c.c_int)]


class _KernelInfo(c.Structure):
    _fields_ = [
        ("name", c.c_char_p), ("parameters", c.c_uint32), ("parameter_bytes", c.c_uint64), ("registers", c.c_uint32),
        ("shared_bytes", c.c_uint32), ("instructions", c.c_uint32),
    ]


class _StatInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("unit", c.c_char_p), ("meaning", c.c_char_p), ("value", c.c_uint64)]


_P, _U64, _SIZE, _TEXT = c.c_void_p, c.c_uint64, c.c_size_t, c.c_char_p
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "heddle_version": (_TEXT, []),
    "heddle_open": (c.c_int, [c.POINTER(_Options), c.POINTER(_P)]),
    "heddle_close": (None, [_P]),
    "heddle_error": (_TEXT, [_P]),
    "heddle_load": (c.c_int, [_P, _TEXT, _TEXT, _SIZE, c.POINTER(_P)]),
    "heddle_unload": (None, [_P]),
    "heddle_kernel_count": (_SIZE, [_P]),
    "heddle_kernel_at": (_P, [_P, _SIZE]),
    "heddle_find_kernel": (c.c_int, [_P, _TEXT, c.POINTER(_P)]),
    "heddle_describe_kernel": (_KernelInfo, [_P]),
    "heddle_find_variable": (c.c_int, [_P, _TEXT, c.POINTER(_U64), c.POINTER(_U64)]),
    "heddle_alloc": (c.c_int, [_P, _U64, c.POINTER(_U64)]),
    "heddle_free": (c.c_int, [_P, _U64]),
    "heddle_write": (c.c_int, [_P, _U64, _P, _U64]),
    "heddle_read": (c.c_int, [_P, _P, _U64, _U64]),
    "heddle_fill": (c.c_int, [_P, _U64, c.c_ubyte, _U64]),
    "heddle_launch": (c.c_int, [_P, c.POINTER(_Shape), c.POINTER(_P)]),
    "heddle_stat_count": (_SIZE, [_P]),
    "heddle_stat_at": (_StatInfo, [_P, _SIZE]),
    "heddle_launch_count": (_SIZE, [_P]),
    "heddle_launch_name": (_TEXT, [_P, _SIZE]),
    "heddle_launch_stat": (c.c_int, [_P, _SIZE, _TEXT, c.POINTER(_U64)]),
    "heddle_report": (_P, [_P]),
}
_loaded: c.CDLL | None = None


def _lib() -> c.CDLL:
    global _loaded
    if _loaded is None:
        lib = c.CDLL(_find.library())
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
        _loaded = lib
    return _loaded


def version() -> str:
    """Of the library, for instance "0.2.0"."""
    return _lib().heddle_version().decode()


# ---- values of kernel parameters ------------------------------------------------------------------------------------


class _Value:
    """A kernel argument with its type in C."""

    def __init__(self, kind: type, value: Number):
        self.c = kind(value)

    def __repr__(self) -> str:
        return f"{type(self.c).__name__[2:]}({self.c.value})"


def u8(value: int) -> _Value:
    return _Value(c.c_uint8, value)


def u16(value: int) -> _Value:
    return _Value(c.c_uint16, value)


def u32(value: int) -> _Value:
    return _Value(c.c_uint32, value)


def u64(value: int) -> _Value:
    return _Value(c.c_uint64, value)


def i32(value: int) -> _Value:
    return _Value(c.c_int32, value)


def i64(value: int) -> _Value:
    return _Value(c.c_int64, value)


def f32(value: float) -> _Value:
    return _Value(c.c_float, value)


def f64(value: float) -> _Value:
    return _Value(c.c_double, value)


def _argument(value: Any) -> Any:
    """A ctypes object for what a caller passes. A plain int or float is refused: its size would be a guess."""
    if isinstance(value, _Value):
        return value.c
    if isinstance(value, Buffer):
        return c.c_uint64(value.address)
    if isinstance(value, (c._SimpleCData, c.Structure, c.Array)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return (c.c_char * len(value)).from_buffer_copy(value)
    raise TypeError(f"a kernel argument is a Buffer, bytes, or a number with its type such as heddle.u32({value!r}), not {type(value).__name__}")


# ---- memory ---------------------------------------------------------------------------------------------------------


class Buffer:
    """Memory of the device. Freed with `free()`, or with its GPU."""

    def __init__(self, gpu: GPU, address: int, size: int):
        self.gpu, self.address, self.size = gpu, address, size

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"<Buffer of {self.size} bytes at {self.address:#x}>"

    def write(self, data: Any, offset: int = 0) -> Buffer:
        """Copies bytes, an array, a numpy array or anything else with a buffer to the device."""
        view = memoryview(data).cast("B") if not isinstance(data, bytes) else memoryview(data)
        if not view.contiguous:
            view = memoryview(view.tobytes())
        copy = (c.c_char * max(len(view), 1)).from_buffer_copy(view) if len(view) else None
        if copy is not None:
            self.gpu._call("heddle_write", self.address + offset, c.cast(copy, c.c_void_p), len(view))
        return self

    def read(self, size: int | None = None, offset: int = 0) -> bytes:
        n = self.size - offset if size is None else size
        out = c.create_string_buffer(max(n, 1))
        if n:
            self.gpu._call("heddle_read", c.cast(out, c.c_void_p), self.address + offset, n)
        return out.raw[:n]

    def get(self, typecode: str = "B") -> array.array:
        """All of it as an array of the type: "f", "d", "i", "I", "q", "Q", "B" as in the module array."""
        out = array.array(typecode)
        out.frombytes(self.read())
        return out

    def numpy(self, dtype: Any) -> Any:
        """All of it as a numpy array."""
        import numpy

        return numpy.frombuffer(self.read(), dtype=dtype).copy()

    def fill(self, value: int, size: int | None = None) -> Buffer:
        self.gpu._call("heddle_fill", self.address, value, self.size if size is None else size)
        return self

    def free(self) -> None:
        self.gpu._call("heddle_free", self.address)


# ---- modules and kernels --------------------------------------------------------------------------------------------


def _three(shape: int | Sequence[int]) -> list[int]:
    values = [shape] if isinstance(shape, int) else list(shape)
    if not 1 <= len(values) <= 3:
        raise ValueError("a grid or block has one to three dimensions")
    return values + [1] * (3 - len(values))


class Kernel:
    """One .entry of a module."""

    def __init__(self, module: Module, handle: int):
        self.module, self._handle = module, handle
        info = _lib().heddle_describe_kernel(handle)
        self.name = info.name.decode()
        self.parameters: int = info.parameters
        self.registers: int = info.registers
        self.shared_bytes: int = info.shared_bytes
        self.instructions: int = info.instructions

    def __repr__(self) -> str:
        return f"<Kernel {self.name}, {self.parameters} parameters>"

    def launch(self, grid: int | Sequence[int], block: int | Sequence[int], args: Sequence[Any] = (), shared: int = 0,
               cooperative: bool = False) -> dict[str, Number]:
        """Runs it to its end and returns the statistics of this launch."""
        if len(args) != self.parameters:
            raise TypeError(f"{self.name} has {self.parameters} parameters, {len(args)} given")
        values = [_argument(a) for a in args]
        pointers = (_P * max(len(values), 1))(*[c.cast(c.pointer(v), _P) for v in values])
        shape = _Shape((c.c_uint32 * 3)(*_three(grid)), (c.c_uint32 * 3)(*_three(block)), shared, int(cooperative))
        gpu = self.module.gpu
        gpu._check(_lib().heddle_launch(self._handle, c.byref(shape), pointers))
        gpu._raise_from_print()
        return gpu.launch_stats(-1)


class Module(Mapping[str, Kernel]):
    """A loaded PTX module: its kernels by name."""

    def __init__(self, gpu: GPU, handle: int):
        self.gpu, self._handle = gpu, handle
        n = _lib().heddle_kernel_count(handle)
        kernels = [Kernel(self, _lib().heddle_kernel_at(handle, i)) for i in range(n)]
        self._kernels = {k.name: k for k in kernels}

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            found = _P()
            self.gpu._check(_lib().heddle_find_kernel(self._handle, name.encode(), c.byref(found)))
        return self._kernels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def variable(self, name: str) -> Buffer:
        """A .global or .const variable."""
        address, size = _U64(), _U64()
        self.gpu._check(_lib().heddle_find_variable(self._handle, name.encode(), c.byref(address), c.byref(size)))
        return Buffer(self.gpu, address.value, size.value)


# ---- the GPU --------------------------------------------------------------------------------------------------------


def settings_text(settings: Mapping[str, Any] | str | None) -> str:
    """{"l1.ways": 8, "sm.dual_issue": True} as "l1.ways=8,sm.dual_issue=true"."""
    if settings is None or isinstance(settings, str):
        return settings or ""
    return ",".join(f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in settings.items())


class GPU:
    """A simulated GPU with its memory, clock and statistics. Use it in one thread at a time; `close()` or `with` gives it back.

    gpu: a preset (`heddle list gpus`) or the path of a .toml file. settings: keys over it (`heddle list keys`).
    printed: a function that receives what kernels print, as str; by default it goes to standard output.
    """

    def __init__(self, gpu: str = "gtx480", settings: Mapping[str, Any] | str | None = None, *, functional: bool = False,
                 memory: int = 0, max_cycles: int = 0, max_instructions: int = 0, printed: Any = None):
        self._handle = _P()
        self._print_error: BaseException | None = None
        self._print = _PRINT(self._printed(printed)) if printed else _PRINT()
        self._names: list[str] | None = None
        options = _Options(c.sizeof(_Options), gpu.encode(), settings_text(settings).encode() or None, int(functional), 0, memory,
                           max_cycles, max_instructions, self._print, None)
        try:
            self._check(_lib().heddle_open(c.byref(options), c.byref(self._handle)))
        except HeddleError:
            self.close()
            raise

    def _printed(self, function: Any) -> Any:
        def receive(_user: Any, text: Any, size: int) -> None:
            try:
                function(c.string_at(text, size).decode(errors="replace"))
            except BaseException as error:  # a callback from C cannot raise: it is raised after the launch
                self._print_error = error
        return receive

    def _raise_from_print(self) -> None:
        error, self._print_error = self._print_error, None
        if error:
            raise error

    def _check(self, status: int) -> None:
        if status:
            text = _lib().heddle_error(self._handle)
            raise HeddleError(_STATUS[status] if status < len(_STATUS) else str(status), (text or b"").decode(errors="replace"))

    def _call(self, name: str, *arguments: Any) -> None:
        if not self._handle:
            raise ValueError("this GPU is closed")
        self._check(getattr(_lib(), name)(self._handle, *arguments))

    def close(self) -> None:
        handle, self._handle = self._handle, _P()
        if handle:
            _lib().heddle_close(handle)

    def __enter__(self) -> GPU:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    # memory

    def alloc(self, size: int) -> Buffer:
        """Zeroed memory."""
        address = _U64()
        self._call("heddle_alloc", size, c.byref(address))
        return Buffer(self, address.value, size)

    def put(self, data: Any) -> Buffer:
        """A new buffer with a copy of bytes, an array or a numpy array."""
        size = memoryview(data).nbytes
        return self.alloc(size).write(data)

    # modules

    def load(self, text: str | bytes | None = None, path: str | os.PathLike[str] | None = None) -> Module:
        """Reads PTX, given as text or as the path of a file."""
        if (text is None) == (path is None):
            raise TypeError("load() takes either text or path")
        if path is not None:
            with open(path, "rb") as file:
                text = file.read()
        data = text.encode() if isinstance(text, str) else bytes(text or b"")
        handle = _P()
        self._call("heddle_load", os.fsencode(path or "ptx"), data, len(data), c.byref(handle))
        return Module(self, handle.value or 0)

    # statistics

    def stats(self) -> dict[str, Number]:
        """Every statistic of all launches so far, under its name in `heddle run --json`."""
        lib = _lib()
        infos = [lib.heddle_stat_at(self._handle, i) for i in range(lib.heddle_stat_count(self._handle))]
        return {i.name.decode(): i.value for i in infos}

    def meanings(self) -> dict[str, tuple[str, str]]:
        """Unit and meaning of each statistic."""
        lib = _lib()
        infos = [lib.heddle_stat_at(self._handle, i) for i in range(lib.heddle_stat_count(self._handle))]
        return {i.name.decode(): (i.unit.decode(), i.meaning.decode()) for i in infos}

    def launches(self) -> list[str]:
        """The kernels launched so far, in order; of more than 5,000 launches the first 5,000 and the last."""
        lib = _lib()
        return [lib.heddle_launch_name(self._handle, i).decode() for i in range(lib.heddle_launch_count(self._handle))]

    def launch_stats(self, launch: int) -> dict[str, Number]:
        """The statistics of one launch, counted from 0; -1 is the last."""
        lib = _lib()
        n = lib.heddle_launch_count(self._handle)
        index = launch + n if launch < 0 else launch
        if not 0 <= index < n:
            raise IndexError(f"there are {n} launches")
        if self._names is None:
            self._names = [lib.heddle_stat_at(self._handle, i).name.decode() for i in range(lib.heddle_stat_count(self._handle))]
        out: dict[str, Number] = {}
        value = _U64()
        for name in self._names:
            self._call("heddle_launch_stat", index, name.encode(), c.byref(value))
            out[name] = value.value
        return out

    def report(self) -> dict[str, Any]:
        """All results, in the form of `heddle run --json`."""
        text = _lib().heddle_report(self._handle)
        if not text:
            raise MemoryError("the report does not fit into memory")
        try:
            return json.loads(c.string_at(text))
        finally:
            c.CDLL(None).free(c.c_void_p(text))
