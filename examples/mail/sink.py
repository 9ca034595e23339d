"""A mail server for the example, which prints what it gets: python3 sink.py PORT"""

import email
import email.header
import socketserver
import sys


class Sink(socketserver.StreamRequestHandler):
    def say(self, line):
        self.wfile.write(line.encode() + b"\r\n")

    def handle(self):
        self.say("220 sink")
        for raw in self.rfile:
            command = raw.decode(errors="replace").strip().upper()
            if command == "DATA":
                self.say("354 go on")
                self.show()
            elif command == "QUIT":
                self.say("221 bye")
                return
            self.say("250 ok")

    def show(self):
        lines = []
        for raw in self.rfile:
            if raw == b".\r\n":
                break
            lines.append(raw)
        message = email.message_from_bytes(b"".join(lines))
        subject = str(email.header.make_header(email.header.decode_header(message["Subject"])))
        files = [part.get_filename() for part in message.walk() if part.get_filename()]
        print(f"mail to {message['To']}: {subject} {files}", flush=True)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True


Server(("127.0.0.1", int(sys.argv[1])), Sink).serve_forever()
