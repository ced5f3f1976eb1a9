# SPDX-License-Identifier: MIT
"""What a module made by wscc --ws-python is made of: functions of C that take the arrays of other libraries.

An argument for a pointer is anything that lies in one piece of memory and says so: a NumPy array, a tensor of PyTorch, whatever has
__cuda_array_interface__ (CuPy, Numba) or __dlpack__ (JAX, and all others).  Nothing is copied.  Its type, its shape, where the C
source says one, and whether it may be written are compared with the function; what does not fit is a TypeError or a ValueError that
names the argument, before anything runs.
"""

import ctypes
import json
import os
import re
import sys

__all__ = ["Error", "Library"]


class Error(RuntimeError):
    """What a kernel reports.  status is its ws_status, code the name of that."""

    def __init__(self, message, status=0):
        super().__init__(message)
        self.status = status
        self.code = _CODES[status] if 0 <= status < len(_CODES) else "status %d" % status


_CODES = ("WS_OK", "WS_ERR_ARGUMENT", "WS_ERR_TYPE", "WS_ERR_OVERLAP", "WS_ERR_MEMORY", "WS_ERR_DEVICE", "WS_ERR_LAUNCH",
          "WS_ERR_UNSUPPORTED", "WS_ERR_PROTOCOL")

_SCALARS = {"i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64, "u8": ctypes.c_uint8,
            "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64, "bool": ctypes.c_bool,
            "f32": ctypes.c_float, "f64": ctypes.c_double}
_BYTES = {"f64": 8, "i64": 8, "u64": 8, "f32": 4, "i32": 4, "u32": 4, "f16": 2, "bf16": 2, "i16": 2, "u16": 2, "i8": 1, "u8": 1,
          "e4m3": 1, "e5m2": 1, "bool": 1}
# Names of types elsewhere.
_NAMED = {"float16": "f16", "half": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "float": "f32", "double": "f64",
          "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
          "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "bool"}
# Bits whose type the other library has no word for.
_STANDS_FOR = {("u16", "bf16"), ("i16", "bf16"), ("u8", "e4m3"), ("u8", "e5m2"), ("bool", "u8"), ("bool", "i8")}

_HOST, _CUDA = "host", "cuda"
_MISSING = object()


class _Array:
    """Memory: its address, type, shape, strides in elements, device, whether it may be written, and what keeps it."""

    __slots__ = ("pointer", "type", "shape", "strides", "device", "index", "readonly", "owner", "stream")

    def __init__(self, pointer, type, shape, strides, device, index=0, readonly=False, owner=None, stream=None):
        self.pointer, self.type, self.shape, self.strides = pointer, type, tuple(shape), strides
        self.device, self.index, self.readonly, self.owner, self.stream = device, index, readonly, owner, stream

    def key(self):
        """All that is compared."""
        return self.type, self.shape, self.strides, self.device, self.readonly, not self.pointer, self.pointer & 7

    def dense_strides(self):
        steps, step = [], 1
        for extent in reversed(self.shape):
            steps.append(step)
            step *= extent
        return tuple(reversed(steps))


# ---- other libraries ---------------------------------------------------------------------------------------------------

def _type_of_typestr(text, owner):
    if text[1] == "V":  # what NumPy has from elsewhere, as bfloat16 of ml_dtypes
        return _NAMED.get(str(getattr(owner, "dtype", None)), text)
    if text[0] == ">" and int(text[2:]) > 1:
        return "of the other byte order"
    kind = {"f": "f", "i": "i", "u": "u", "b": "bool"}.get(text[1])
    return kind if kind == "bool" else "%s%d" % (kind, 8 * int(text[2:])) if kind else text


def _interface(owner, interface, device):
    kind = _type_of_typestr(interface["typestr"], owner)
    pointer, readonly = interface["data"]
    strides = interface.get("strides")
    size = int(interface["typestr"][2:])
    shape = tuple(interface["shape"])
    if strides is not None:
        if any(step % size for step in strides):
            raise ValueError("its strides are no multiples of its elements")
        strides = tuple(step // size for step in strides)
    index = 0
    if device == _CUDA:
        where = getattr(owner, "device", None)
        index = getattr(where, "id", 0) or 0
    return _Array(pointer or 0, kind, shape, strides, device, index, readonly, owner, interface.get("stream"))


def _torch(tensor):
    if tensor.layout is not sys.modules["torch"].strided:
        raise TypeError("its layout is %s, not strided" % tensor.layout)
    if tensor.device.type not in ("cpu", "cuda"):
        raise TypeError("it is on %s" % tensor.device)
    if tensor.is_conj() or tensor.is_neg():
        raise ValueError("it is a lazy view; resolve it first")
    name = str(tensor.dtype).rpartition(".")[2]
    device = _HOST if tensor.device.type == "cpu" else _CUDA
    # What autograd would not see.
    watched = tensor.requires_grad and sys.modules["torch"].is_grad_enabled()
    return _Array(tensor.data_ptr(), _NAMED.get(name, name), tensor.shape, tuple(tensor.stride()), device, tensor.device.index or 0,
                  watched, tensor)


class _DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _DLDevice), ("ndim", ctypes.c_int32), ("dtype", _DLDataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _DLVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", _DLTensor)]


_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_DL_CODES = {0: "i", 1: "u", 2: "f", 4: "bf"}
_DL_FLOAT8 = {10: "e4m3", 12: "e5m2"}


def _dlpack(owner, stream):
    """The capsule stays unused: whoever made it takes it back, and keeps the memory until then."""
    device_type, index = owner.__dlpack_device__()
    if int(device_type) not in (1, 2, 3, 13):
        raise TypeError("it is on a device of DLPack's kind %d, neither CPU nor CUDA" % int(device_type))
    device = _CUDA if int(device_type) in (2, 13) else _HOST
    # 1: the default stream, as DLPack counts them.
    order = {"stream": stream or 1} if device == _CUDA else {}
    try:
        capsule = owner.__dlpack__(max_version=(1, 0), **order)
    except TypeError:
        capsule = owner.__dlpack__(**order)
    name = _capsule_name(capsule)
    address = _capsule_pointer(capsule, name)
    readonly = False
    if name == b"dltensor_versioned":
        managed = ctypes.cast(address, ctypes.POINTER(_DLVersioned)).contents
        tensor, readonly = managed.tensor, bool(managed.flags & 1)
    else:
        tensor = ctypes.cast(address, ctypes.POINTER(_DLTensor)).contents
    kind = tensor.dtype
    if kind.lanes != 1:
        raise TypeError("its elements are vectors")
    if kind.code in _DL_FLOAT8:
        text = _DL_FLOAT8[kind.code]
    elif kind.code == 6:
        text = "bool"
    else:
        text = "%s%d" % (_DL_CODES.get(kind.code, "kind %d of " % kind.code), kind.bits)
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None
    # Arrays of JAX do not change.
    readonly = readonly or type(owner).__module__.partition(".")[0] in ("jax", "jaxlib")
    return _Array((tensor.data or 0) + tensor.byte_offset, text, shape, strides, device, index, readonly, (owner, capsule))


def _array(value, stream):
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _torch(value)
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return _interface(value, interface, _CUDA)
    if type(value).__module__.partition(".")[0] not in ("jax", "jaxlib"):
        interface = getattr(value, "__array_interface__", None)
        if interface is not None:
            return _interface(value, interface, _HOST)
    if hasattr(value, "__dlpack__"):
        return _dlpack(value, stream)
    raise TypeError("an array is needed (NumPy, PyTorch, JAX, CuPy, DLPack), not %s" % type(value).__name__)


def _stream_of(array, own):
    """The stream on which the array's library works now."""
    owner = array.owner[0] if isinstance(array.owner, tuple) else array.owner
    package = type(owner).__module__.partition(".")[0]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(owner, torch.Tensor):
        return torch.cuda.current_stream(array.index).cuda_stream
    if package == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    # Version 3 of the interface: 1 and 2 are the default streams, which CUDA knows by these numbers, too.
    return array.stream or own


# ---- functions ---------------------------------------------------------------------------------------------------------

def _number(text):
    return None if text is None else eval("lambda v: " + re.sub(r"[^\W\d]\w*", lambda m: "v[%r]" % m.group(), text))


class _View:
    """What the C source takes the memory for; None where it says nothing that could be compared."""

    def __init__(self, row):
        self.type = row["type"]
        self.names = row["shape"]
        self.shape = [_number(text) for text in row["shape"]]
        self.stride_names = row["strides"]
        self.strides = [_number(text) for text in row["strides"]]

    def __str__(self):
        return "(%s)" % ", ".join("?" if name is None else name.strip("()") for name in self.names)

    def folded(self, array):
        """The array's shape and strides with as many dimensions as the view: the outer ones become one."""
        rank, shape, strides = len(self.shape), array.shape, array.strides or array.dense_strides()
        if len(shape) < rank:
            return None
        extra = len(shape) - rank
        for i in range(extra):
            if shape[i] > 1 and strides[i] != shape[i + 1] * strides[i + 1]:
                return None
        first = 1
        for extent in shape[:extra + 1]:
            first *= extent
        return (first,) + shape[extra + 1:], strides[extra:]

    def learn(self, array, values):
        """Numbers that the caller has left out, from the array's shape."""
        folded = self.folded(array)
        if folded:
            for names, numbers in ((self.names, folded[0]), (self.stride_names, folded[1])):
                for name, number in zip(names, numbers):
                    if name is not None and name in values and values[name] is None:
                        values[name] = number

    def mistake(self, array, values):
        folded = self.folded(array)
        if folded is None:
            return "its shape is %s, not %s" % (array.shape, self)
        for got, want in zip(folded[0], self.shape):
            if want is not None and got != want(values):
                said = ", ".join("%s = %d" % (name, values[name]) for name in sorted(set(re.findall(r"[^\W\d]\w*", str(self)))))
                return "its shape is %s, not %s%s" % (array.shape, self, " with " + said if said else "")
        for extent, got, want in zip(folded[0], folded[1], self.strides):
            if want is not None and extent > 1 and got != want(values):
                return "its strides are %s, and the kernel takes rows that are %d elements apart" % (folded[1], want(values))
        return None


class _Parameter:
    def __init__(self, row):
        self.name, self.type, self.pointer, self.const = row["name"], row["type"], row["pointer"], row["const"]
        self.views = [_View(view) for view in row["views"]]
        self.types = {self.type} if self.type != "void" else {view.type for view in self.views}

    def __str__(self):
        if not self.pointer:
            return "%s: %s" % (self.name, self.type)
        return "%s: %s%s%s" % (self.name, "const " if self.const else "", "/".join(sorted(self.types)) or "any",
                               " or ".join(str(view) for view in self.views) or "[]")

    def takes(self, type):
        return not self.types or type in self.types or any((type, mine) in _STANDS_FOR for mine in self.types)

    def mistake(self, array, values, targets):
        if not self.takes(array.type):
            return TypeError, "its type is %s, not %s" % (array.type, " or ".join(sorted(self.types)))
        if array.readonly and not self.const:
            return ValueError, "it is read-only, and the function writes it"
        if array.device == _CUDA and "cuda" not in targets:
            return ValueError, "it is on a GPU, and this module was made for %s" % ",".join(targets)
        size = _BYTES.get(array.type, 1)
        if array.pointer % size:
            return ValueError, "its memory does not begin at a multiple of %d bytes" % size
        if 0 in array.shape:
            return None
        if not array.pointer:
            return ValueError, "it has no memory"
        if not self.views:
            strides, dense = array.strides or array.dense_strides(), array.dense_strides()
            if any(extent > 1 and x != y for extent, x, y in zip(array.shape, strides, dense)):
                return ValueError, "it is not contiguous: its strides are %s, not %s" % (strides, dense)
            return None
        said = [view.mistake(array, values) for view in self.views]
        return (ValueError, said[0]) if None not in said else None


class _Function:
    def __init__(self, library, row):
        self._library = library
        self.__name__ = self.__qualname__ = row["name"]
        self._parameters = [_Parameter(one) for one in row["parameters"]]
        self._arrays = [one for one in self._parameters if one.pointer]
        self._numbers = [one for one in self._parameters if not one.pointer]
        self._known = {}
        self._entry = getattr(library.handle, row["name"])
        self._entry.argtypes = [ctypes.c_void_p if one.pointer else _SCALARS[one.type] for one in self._parameters]
        self._status = row["returns"] == "status"
        self._entry.restype = ctypes.c_int if self._status else None if row["returns"] == "void" else _SCALARS[row["returns"]]
        self.__doc__ = "%s(%s)\n\nNumbers that shapes tell may be left out: %s(%s).  stream=: a CUDA stream, as a number." % (
            self.__name__, ", ".join(map(str, self._parameters)), self.__name__, ", ".join(one.name for one in self._arrays))

    def __repr__(self):
        return "<kernel %s of %s>" % (self.__doc__.partition("\n")[0], self._library.path)

    def _bind(self, given, named):
        names = [one.name for one in self._parameters]
        if len(given) > len(names):
            raise TypeError("%s takes %d arguments, not %d" % (self.__name__, len(names), len(given)))
        order = self._parameters if len(given) + len(named) >= len(names) else self._arrays
        if len(given) > len(order):
            raise TypeError("%s takes either all of (%s) or its arrays (%s) and the rest by name" % (
                self.__name__, ", ".join(names), ", ".join(one.name for one in self._arrays)))
        values = {one.name: _MISSING if one.pointer else None for one in self._parameters}
        for one, value in zip(order, given):
            values[one.name] = value
        for name, value in named.items():
            if name not in values:
                raise TypeError("%s has no parameter %r" % (self.__name__, name))
            if values[name] is not None and values[name] is not _MISSING:
                raise TypeError("%s is given %r twice" % (self.__name__, name))
            values[name] = value
        return values

    def _failure(self, kind, name, said):
        return kind("%s: argument %r: %s" % (self.__name__, name, said))

    def _scalars(self, values):
        for one in self._numbers:
            value = values[one.name]
            if value is None:
                raise TypeError("%s: %r is not told by a shape: give it by name" % (self.__name__, one.name))
            if one.type in ("f32", "f64"):
                values[one.name] = float(value)
                continue
            try:
                number = value.__index__()
            except AttributeError:
                raise self._failure(TypeError, one.name, "a whole number is needed, not %r" % (value,)) from None
            if one.type != "bool" and _SCALARS[one.type](number).value != number:
                raise self._failure(OverflowError, one.name, "%d does not fit into %s" % (number, one.type))
            values[one.name] = number

    def _checked(self, arrays, values):
        """The numbers, once everything fits; what has fitted fits again."""
        key = (tuple((type(values[one.name]), values[one.name]) for one in self._numbers),
               tuple((name, array.key()) for name, array in arrays.items()))
        try:
            return self._known[key]
        except (KeyError, TypeError):
            pass
        for one in self._arrays:
            for view in one.views if one.name in arrays else ():
                view.learn(arrays[one.name], values)
        self._scalars(values)
        for one in self._arrays:
            mistake = one.mistake(arrays[one.name], values, self._library.targets) if one.name in arrays else None
            if mistake:
                raise self._failure(mistake[0], one.name, mistake[1])
        numbers = {one.name: values[one.name] for one in self._numbers}
        if len(self._known) < 1024:
            try:
                self._known[key] = numbers
            except TypeError:  # a number that is none of Python's
                pass
        return numbers

    def __call__(self, *given, stream=None, **named):
        values = self._bind(given, named)
        arrays = {}
        for one in self._arrays:
            value = values[one.name]
            if value is _MISSING:
                raise TypeError("%s: the array %r is missing" % (self.__name__, one.name))
            if value is None:  # a null pointer
                continue
            try:
                arrays[one.name] = _array(value, stream)
            except (TypeError, ValueError, BufferError) as mistake:
                raise self._failure(type(mistake), one.name, mistake) from None
        numbers = self._checked(arrays, values)
        words = [arrays[one.name].pointer if one.name in arrays else numbers.get(one.name) for one in self._parameters]
        return self._launch(words, [one for one in arrays.values() if one.device == _CUDA], stream)

    def _launch(self, words, on_device, stream):
        library = self._library
        if on_device and any(one.index != on_device[0].index for one in on_device):
            raise ValueError("%s: its arrays are on different GPUs" % self.__name__)
        if stream is None and on_device:
            stream = _stream_of(on_device[0], 0)
        guard = _device(on_device[0].index) if on_device else None
        library.set_stream(stream or None)
        try:
            if guard is not None:
                with guard:
                    result = self._entry(*words)
            else:
                result = self._entry(*words)
        finally:
            library.set_stream(None)
        library.check(result if self._status else 0)
        return None if self._status else result


def _device(index):
    """Launches go to the device that is current; nothing to do where the other library has one alone."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return torch.cuda.device(index)
    cupy = sys.modules.get("cupy")
    return cupy.cuda.Device(index) if cupy is not None else None


class Library:
    """The functions of a library made by wscc, by name."""

    def __init__(self, path, rows, targets):
        self.path, self.targets = path, targets.split(",")
        self.handle = ctypes.CDLL(path)
        self.set_stream = self.handle.ws_set_stream
        self.set_stream.argtypes, self.set_stream.restype = [ctypes.c_void_p], None
        self._last = self.handle.ws_last_error
        self._message = self.handle.ws_error_message
        self._message.restype = ctypes.c_char_p
        self.functions, self.left_out = {}, {}
        self._last()  # this program reads its errors
        for row in rows:
            strange = [one["name"] for one in row["parameters"] if one["type"] is None]
            if strange or row["returns"] is None or row["returns"] in ("f16", "bf16", "e4m3", "e5m2"):
                self.left_out[row["name"]] = "the parameter %r" % strange[0] if strange else "its result"
            else:
                self.functions[row["name"]] = _Function(self, row)

    def check(self, returned):
        """What the function has read itself it hands back; the text is still there."""
        message = self._message()
        status = self._last() or returned
        if status:
            raise Error(message.decode(errors="replace"), status)

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.functions:
            why = self.left_out.get(name) if not name.startswith("_") else None
            raise AttributeError("%s has no function %r%s" % (self.path, name, ": Python has no type for " + why if why else ""))
        return self.functions[name]


def load(folder, targets):
    """What a package's __init__ calls."""
    with open(os.path.join(folder, "functions.json"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return Library(os.path.join(folder, "_kernels.so"), rows, targets)
