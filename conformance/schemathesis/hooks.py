"""Leads generated requests to what is there: without this nearly all would be answered with 404.

Values are replaced by rules that depend on the generated value alone, so that one seed always gives the same requests.
"""

import base64
import gzip
import io
import json
import os
import tarfile
import urllib.request

import schemathesis

SERVER = "http://" + os.environ["TROWEL_SERVER"]
PROJECTS = 6  # that scripts/schemathesis.sh has made, with ids from 1
NAMES = {"project": "first", "workflow": "daily", "revision": "r1"}


def turn(value, turns):
    """A number below turns that goes with the value."""
    return sum(repr(value).encode()) % turns


def log_file():
    login = base64.b64encode(b"admin:secret").decode()
    request = urllib.request.Request(SERVER + "/api/logs/1/files", headers={"Authorization": "Basic " + login})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["files"][0]["fileName"]


LOG_FILE = log_file()


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.path_parameters or {}
    deletes = case.method.upper() == "DELETE" and case.path == "/api/projects/{id}"
    for name in ("id", "attempt"):
        # The first project is there to the end, the others may be deleted.
        if isinstance(path.get(name), int) and turn(path[name], 4):
            path[name] = 2 + turn(path[name], PROJECTS - 1) if deletes else 1
    if "file" in path and turn(path["file"], 2):
        path["file"] = LOG_FILE.replace("+", "%2B").replace("@", "%40")
    if "key" in path and turn(path["key"], 2):
        path["key"] = "key"
    query = case.query or {}
    for name in NAMES:
        if isinstance(query.get(name), str) and turn(query[name], 2):
            query[name] = NAMES[name]
    body = case.body
    if isinstance(body, dict) and isinstance(body.get("workflowId"), str) and turn(body["workflowId"], 4):
        body["workflowId"] = "1"


@schemathesis.serializer("application/gzip")
def archive(context, value):
    """A project whose only workflow is the value, or bytes that are none."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if turn(value, 3) == 0:
        return {"data": text.encode(errors="replace")}
    content = ("+a:\n  echo>: " + json.dumps(text) + "\n" if turn(value, 3) == 1 else text).encode(errors="replace")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        entry = tarfile.TarInfo("main.dig")
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    return {"data": gzip.compress(packed.getvalue(), mtime=0)}
