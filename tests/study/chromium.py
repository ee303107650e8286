"""A headless Chromium on a pipe: opens a page at a width and in a colour scheme, tells what the page
computes and everything it complains of. Standard library only.
"""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ('chromium', 'chromium-browser', 'google-chrome')
LIMIT_S = 60


def find():
    """The browser's program, None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser process; messages are JSON, ended by a zero byte, on descriptors 3 and 4."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        to_read, self.to = os.pipe()
        self.come, from_write = os.pipe()
        words = [find(), '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
                 '--no-first-run', f'--user-data-dir={self.profile.name}', '--remote-debugging-pipe',
                 'about:blank']
        # the pipes have to arrive as 3 and 4, whatever numbers they have here
        shell = f'exec 3<&{to_read} 4>&{from_write}; exec "$@"'
        self.process = subprocess.Popen(['sh', '-c', shell, 'sh', *words], pass_fds=(to_read, from_write),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(from_write)
        self.buffer, self.number, self.events, self.session = b'', 0, [], None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(f'{domain}.enable')

    def close(self):
        self.session = None
        self.call('Browser.close')
        self.process.wait(LIMIT_S)
        os.close(self.to)
        os.close(self.come)
        self.profile.cleanup()

    def message(self):
        """The next one; raises TimeoutError rather than hang."""
        deadline = time.monotonic() + LIMIT_S
        while b'\0' not in self.buffer:
            ready, _, _ = select.select([self.come], [], [], max(0, deadline - time.monotonic()))
            more = os.read(self.come, 1 << 16) if ready else b''
            if not more:
                raise TimeoutError('the browser does not answer')
            self.buffer += more
        text, _, self.buffer = self.buffer.partition(b'\0')
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            request['sessionId'] = self.session
        os.write(self.to, json.dumps(request).encode() + b'\0')
        while True:
            message = self.message()
            if message.get('id') == self.number:
                if 'error' in message:
                    raise RuntimeError(message['error'])
                return message['result']
            self.events.append(message)

    def open(self, url, width, scheme='light'):
        """Loads the page anew at this width."""
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=800, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self.events = []
        self.call('Page.navigate', url=url)
        while not any(event.get('method') == 'Page.loadEventFired' for event in self.events):
            self.events.append(self.message())

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page."""
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(answer['exceptionDetails'])
        return answer['result'].get('value')

    def complaints(self):
        """What would stand on the console since the page was opened."""
        return [event['params'] for event in self.events if event.get('method') in
                ('Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded')]

    def requests(self):
        """Addresses that the page has asked for."""
        return [event['params']['request']['url'] for event in self.events
                if event.get('method') == 'Network.requestWillBeSent']
