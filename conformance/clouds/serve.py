"""Runs moto on a free port until standard input ends.

It prints the address with the keys of a user, http://ID:KEY@HOST:PORT. With the argument "signed" moto refuses requests of other
users, and those whose signature is wrong. It then refuses right ones, too, if keys of objects or queries have special characters.
"""

import json
import os
import sys
from urllib.parse import quote

FIRST_REQUESTS = 3  # those of sign, which need no keys
signed = sys.argv[1:] == ["signed"]
if signed:
    os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = str(FIRST_REQUESTS)  # read when moto is imported

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()


def sign():
    """Makes a user who may do everything, and returns the keys."""
    iam = boto3.client(
        "iam",
        endpoint_url=f"http://{host}:{port}",
        region_name="us-east-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
    )
    everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    iam.create_user(UserName="trowel")
    iam.put_user_policy(UserName="trowel", PolicyName="everything", PolicyDocument=json.dumps(everything))
    keys = iam.create_access_key(UserName="trowel")["AccessKey"]
    return keys["AccessKeyId"], keys["SecretAccessKey"]


user = ":".join(quote(text, safe="") for text in (sign() if signed else ("anybody", "any-key")))
print(f"http://{user}@{host}:{port}", flush=True)

sys.stdin.read()
