# SPDX-License-Identifier: MIT
# pip wheel --no-deps . : the package gemm with its kernels, for every version of Python 3 on this kind of machine.
import os
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel


class Kernels(build_py):
    def run(self):
        super().run()
        os.makedirs(self.build_lib, exist_ok=True)
        wscc = [os.environ.get("WSCC", "wscc"), "-O2"]
        if "WSC_TARGET" in os.environ:
            wscc.append("--ws-target=" + os.environ["WSC_TARGET"])
        subprocess.check_call(wscc + ["--ws-python=gemm", "gemm.c", "-o", os.path.join(self.build_lib, "gemm")])


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Binary(Distribution):
    def has_pure_modules(self):
        return True

    def has_ext_modules(self):
        return True


setup(name="gemm", version="1.0", distclass=Binary, cmdclass={"build_py": Kernels, "bdist_wheel": Wheel})
