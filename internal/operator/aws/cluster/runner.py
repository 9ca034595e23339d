#!/bin/sh
'''exec' sh -c 'for p in python3 python python2; do command -v $p >/dev/null 2>&1 && exec $p "$0" "$@"; done; echo "no python" >&2; exit 127' "$0" "$@"
'''
# Runs a step or a bootstrap action of a cluster, by the configuration in S3 that its argument names: downloads files, decrypts
# what is encrypted, and runs a command. It works with Python 2.7 and 3.
import base64
import json
import os
import subprocess
import sys
import tempfile

INSTANCE = '/mnt/var/lib/info/extraInstanceData.json'


def region_arguments():
    try:
        with open(INSTANCE) as f:
            return ['--region', json.load(f)['region']]
    except (IOError, OSError, KeyError, ValueError):
        return []


def make_folder(path):
    if path and not os.path.isdir(path):
        os.makedirs(path)


def download(source, destination, mode=None):
    make_folder(os.path.dirname(destination))
    subprocess.check_call(['aws', 's3', 'cp', '--only-show-errors', source, destination])
    if mode is not None:
        os.chmod(destination, mode)


def decrypt(text):
    handle, path = tempfile.mkstemp()
    try:
        with os.fdopen(handle, 'wb') as f:
            f.write(base64.b64decode(text))
        plain = subprocess.check_output(['aws', 'kms', 'decrypt'] + region_arguments() + [
            '--ciphertext-blob', 'fileb://' + path, '--query', 'Plaintext', '--output', 'text'])
    finally:
        os.remove(path)
    return base64.b64decode(plain.strip()).decode('utf-8')


def value_of(parameter):
    if parameter['type'] == 'plain':
        return parameter['value']
    if parameter['type'] == 'kms_encrypted':
        return decrypt(parameter['value'])
    raise ValueError('unknown type of a parameter: ' + parameter['type'])


def native(text):
    return text if isinstance(text, str) else text.encode('utf-8')


def main(configuration):
    handle, path = tempfile.mkstemp()
    os.close(handle)
    try:
        download(configuration, path)
        with open(path) as f:
            config = json.load(f)
    finally:
        os.remove(path)
    folder = config['working_directory']
    make_folder(folder)
    for one in config.get('download') or []:
        download(one['src'], one['dst'], one.get('mode'))
    env = dict(os.environ)
    for name, parameter in (config.get('env') or {}).items():
        env[native(name)] = native(value_of(parameter))
    command = [native(value_of(parameter)) for parameter in config['command']]
    sys.stdout.flush()
    return subprocess.call(command, cwd=folder, env=env)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
