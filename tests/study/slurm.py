"""A Slurm of its own for a test: a controller and one node on this machine, on ports of its own, ended
by their process ids. Only where Slurm and munge are installed and the test runs as root.
"""
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = ('munged', 'slurmctld', 'slurmd', 'sbatch', 'sinfo')
SEARCH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/spool
SlurmdPidFile={folder}/slurmd.pid
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SwitchType=switch/none
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={node_port} CoresPerSocket=2 RealMemory=1000
PartitionName=p Nodes=n1 Default=YES State=UP
"""


def can_start():
    return os.geteuid() == 0 and all(shutil.which(name, path=SEARCH) for name in PROGRAMS)


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def end(process):
    """Asks a daemon to end and waits until it has; one that does not listen is ended."""
    watch = os.pidfd_open(process)
    try:
        os.kill(process, signal.SIGTERM)
        if not select.select([watch], [], [], 20)[0]:
            os.kill(process, signal.SIGKILL)
    finally:
        os.close(watch)


class Slurm:
    """`environment` is what commands of Slurm need."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        os.chmod(self.folder, 0o755)
        for name in ('state', 'spool'):
            (self.folder / name).mkdir()
        configuration = self.folder / 'slurm.conf'
        configuration.write_text(CONFIGURATION.format(host=socket.gethostname(), folder=self.folder,
                                                      port=free_port(), node_port=free_port()))
        self.environment = {**os.environ, 'PATH': SEARCH, 'SLURM_CONF': str(configuration)}
        self.start_munge()
        self.run('slurmctld', '-c', '-f', configuration)
        self.run('slurmd', '-N', 'n1', '-f', configuration)
        self.await_node()

    def run(self, *words):
        subprocess.run([str(word) for word in words], env=self.environment, check=True, timeout=60,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start_munge(self):
        key = self.folder / 'munge.key'
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        files = [f'--{name}={self.folder / file}' for name, file in
                 (('key-file', 'munge.key'), ('socket', 'munge.sock'), ('pid-file', 'munged.pid'),
                  ('log-file', 'munged.log'), ('seed-file', 'munge.seed'))]
        self.run('munged', '--force', *files)

    def await_node(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            answer = subprocess.run(['sinfo', '-h', '-t', 'idle', '-o', '%D'], env=self.environment,
                                    stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if answer.stdout.strip() == '1':
                return
            time.sleep(0.1)
        raise TimeoutError('no node of Slurm became idle')

    def close(self):
        for name in ('slurmd', 'slurmctld', 'munged'):
            try:
                end(int((self.folder / f'{name}.pid').read_text()))
            except (OSError, ValueError):
                continue
        self.temporary.cleanup()
