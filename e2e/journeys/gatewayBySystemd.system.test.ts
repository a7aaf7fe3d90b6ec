import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Namespace, type Namespaces, namespacesProblem, openNamespaces } from '../support/namespaces.ts';
import {
  type HostDisk,
  makeHostDisk,
  makePackagedHost,
  type PackagedHost,
  type Unpacked,
  unpackPackage,
} from '../support/packagedHosts.ts';
import { systemdKeeper, systemdProblem } from '../support/systemd.ts';
import { eventually, startSteadyVisits, VISITOR } from '../support/tunnelScene.ts';

const problem = (await namespacesProblem()) ?? systemdProblem();
if (problem !== null) process.stderr.write(`skipped: a real systemd runs the gateway, because ${problem}\n`);

const SERVED_MAX_MS = 60_000;
const UNIT = 'sallyport-gateway.service';
const TIMER = 'sallyport-gateway-backup.timer';
/** Of an identity of age that nobody has. */
const RECIPIENT = 'age1087vyhcntfcct39ywhmq9372ecp73gv0gkxhxta3xla5r5erfdpsg4ewah';
/** What comes with Debian's packages of nginx and certbot, and takes the ports or the work of the gateway. */
const DEBIANS = ['nginx.service', 'certbot.timer'];
// What dpkg has done when it comes to the package's own script, and that script.
const INSTALL = `set -e
export DPKG_MAINTSCRIPT_PACKAGE=sallyport-gateway
for unit in ${DEBIANS.join(' ')}; do
  test ! -e /usr/lib/systemd/system/$unit || deb-systemd-helper enable $unit
done
systemctl daemon-reload
# As preinst notes where nothing of it was there before.
mkdir -p /var/lib/misc
: > /var/lib/misc/sallyport-gateway.kept
sh /opt/sallyport/DEBIAN/postinst configure ''`;
const PORTS = { console: 9443, http: 80, https: 443, tunnel: 51_820 };
/** In a network for documentation. */
const LATE_ADDRESS = '198.18.7.7';
const BACKEND_PORT = 8080;
/** Answers every request with a page. */
const BACKEND = `use IO::Socket::INET; $| = 1;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1:${BACKEND_PORT}', Listen => 9, ReuseAddr => 1) or die; print "ready\\n";
while (my $visitor = $server->accept) { while (<$visitor>) { last if /^\\r/ } print $visitor "HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\npage" }`;
/** Has a port until its input ends. */
const TAKER = `use IO::Socket::INET; $| = 1; my ($protocol, $port) = @ARGV;
my %all = (Proto => $protocol, LocalAddr => "0.0.0.0:$port", ReuseAddr => $protocol eq 'tcp');
$all{Listen} = 1 if $protocol eq 'tcp';
my $socket = IO::Socket::INET->new(%all) or die "$@"; print "ready\n"; <STDIN>`;

/** Says the status of the answer. */
const WRONG_SIGN_IN = `curl --silent --insecure --max-time 20 --output /dev/null --write-out '%{http_code}' \
  --data '{"username":"admin","password":"another one"}' https://127.0.0.1:9443/api/auth/login`;

describe.skipIf(problem !== null)('systemd, with the package of the gateway', () => {
  let namespaces: Namespaces;
  let unpacked: Unpacked;
  let disk: HostDisk;
  let network: Namespace;
  let host: PackagedHost;

  /** Starts a program that says when it is ready. */
  async function startReady(...command: string[]) {
    const started = host.start(command);
    await started.until(/ready/);
    return started;
  }
  /** Turns the machine on, with what is on its disk and a web server. */
  async function boot(): Promise<void> {
    network = await namespaces.add('gateway');
    host = await makePackagedHost(network, unpacked.folder, systemdKeeper(), disk);
    await eventually(
      async () => (await host.run(['systemctl', 'is-system-running'])).out.trim(),
      (state) => state === 'running',
      30_000,
    );
    await host.run(['mount', '-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', '/var/backups']);
    await startReady('perl', '-e', BACKEND);
  }

  beforeAll(async () => {
    namespaces = openNamespaces();
    unpacked = await unpackPackage('sallyport-gateway');
    disk = await makeHostDisk();
    await boot();
    const { code, err } = await host.run(['sh', '-c', INSTALL]);
    if (code !== 0) throw new Error(`The package could not be installed: ${err}`);
    await serves();
    await publish();
  }, 300_000);
  afterAll(async () => {
    await host?.close();
    await namespaces?.close();
    await unpacked?.close();
    await disk?.remove();
  }, 60_000);

  const property = async (name: string) =>
    (await host.run(['systemctl', 'show', '--value', '--property', name, UNIT])).out.trim();
  /** What nginx says of the gateway behind it. */
  const health = async () =>
    (await host.run(['curl', '--silent', '--insecure', '--max-time', '5', 'https://127.0.0.1:9443/healthz'])).out;
  const serves = () => eventually(health, (text) => text.startsWith('{"status":"ok"'), SERVED_MAX_MS);
  const nginx = async () => (await host.run(['pgrep', '--full', '^nginx: master'])).out.trim();
  /** The number of the tunnel's interface, which is another one when it was made again; empty: there is none. */
  const tunnel = async () => (await host.run(['cat', '/sys/class/net/sallyport0/ifindex'])).out.trim();
  const page = async () =>
    (await host.run(['curl', '--silent', '--insecure', '--max-time', '5', 'https://127.0.0.1/'])).out;

  /** Publishes the web server of the machine. */
  async function publish(): Promise<void> {
    const call = async (target: string, body: object, token = 'none') => {
      const url = `http://127.0.0.1:3000/api${target}`;
      const words = ['--silent', '--header', `authorization: Bearer ${token}`, '--data', JSON.stringify(body), url];
      return JSON.parse((await host.run(['curl', ...words])).out) as Record<string, unknown>;
    };
    const password = (await host.run(['cat', '/var/lib/sallyport/initial-password'])).out.trim();
    const { token } = await call('/auth/login', { username: 'admin', password });
    const service = { name: 'app', pathLocation: '/', backendHost: '127.0.0.1', backendPort: BACKEND_PORT };
    expect(await call('/services/1/http', service, String(token))).toMatchObject({ name: 'app' });
    await eventually(page, (text) => text === 'page');
  }

  it('runs it within its sandbox, with the tunnel', async () => {
    await serves();
    expect(await health()).toContain('"tunnel":"up"');
    expect(await tunnel()).not.toBe('');
    // As the guide has one ask for it.
    for (const how of [
      '--no-pager',
      '--output cat --no-pager --boot --lines 40',
      '--output cat --no-pager --lines 20',
    ]) {
      const { out } = await host.run(['journalctl', '--unit', 'sallyport-gateway', ...how.split(' ')]);
      expect(out).toContain('Sallyport is running');
    }
    expect((await host.run(['systemctl', 'status', 'sallyport-gateway'])).out).toContain('active (running)');
  });

  it.each([
    ['is reloaded', ['systemctl', 'reload', UNIT]],
    ['is killed', ['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', UNIT]],
    // As dpkg does once it has put the files of another version there.
    ['is updated', ['sh', '/opt/sallyport/DEBIAN/postinst', 'configure', '0.0.1']],
  ])('begins it again when it %s, and nginx and the tunnel serve meanwhile', async (_, command) => {
    const before = await property('MainPID');
    const link = await tunnel();
    expect(link).toMatch(/^\d+$/);
    const visits = await startSteadyVisits(
      network.spawn(process.execPath, VISITOR, 'steady', '127.0.0.1', String(PORTS.https), '/', '20', 'page'),
    );
    expect(await host.run(command)).toMatchObject({ code: 0 });
    await eventually(
      async () => {
        expect([await nginx(), await tunnel()]).toEqual([expect.stringMatching(/^\d/), link]);
        return property('MainPID');
      },
      (pid) => pid !== before && pid !== '0',
      SERVED_MAX_MS,
    );
    await serves();
    expect(await visits.end()).toMatchObject({ failed: 0 });
    expect(await tunnel()).toBe(link);
    // The guide says why systemd says so.
    expect(await journal()).toMatch(/left-over process \d+ \(nginx\) in control group while starting unit/);
  });

  it('goes on when it is hung up', async () => {
    const before = await property('MainPID');
    expect(await host.run(['systemctl', 'kill', '--kill-whom=main', '--signal=HUP', UNIT])).toMatchObject({ code: 0 });
    // An end would have begun long before the password was checked.
    for (const _ of [1, 2]) expect((await host.run(['sh', '-c', WRONG_SIGN_IN])).out).toBe('401');
    expect(await property('MainPID')).toBe(before);
    await serves();
  });

  it('says which settings in its file do not count before a reload', async () => {
    const said = async () => (await host.run(['/opt/sallyport/usr/bin/sallyport-gateway', 'check'])).out;
    const stale =
      /^FIX +gateway +these settings changed .*: SALLYPORT_LOG_LEVEL\. .*systemctl reload sallyport-gateway$/m;
    const set = 'mkdir -p /etc/sallyport && echo SALLYPORT_LOG_LEVEL=warn >> /etc/sallyport/gateway.env';
    await host.run(['sh', '-c', set]);
    expect(await said()).toMatch(stale);
    await host.run(['systemctl', 'reload', UNIT]);
    await eventually(said, (text) => /^ok +gateway /m.test(text) && !/^FIX +gateway /m.test(text), SERVED_MAX_MS);
    await host.run(['sh', '-c', `rm /etc/sallyport/gateway.env && systemctl reload ${UNIT}`]);
    await serves();
  });

  it('backs it up by the timer, within the sandbox of its service, and again each night', async () => {
    // The first time at once, instead of at midnight.
    const now = `mkdir -p /run/systemd/system/${TIMER}.d && printf '[Timer]\\nOnActiveSec=0\\nRandomizedDelaySec=0\\n' > /run/systemd/system/${TIMER}.d/now.conf`;
    const recipient = `mkdir -p /etc/sallyport && echo ${RECIPIENT} > /etc/sallyport/backup.recipient`;
    const enable = `${now} && ${recipient} && systemctl daemon-reload && systemctl enable --now ${TIMER}`;
    expect(await host.run(['sh', '-c', enable])).toMatchObject({ code: 0 });
    const found = ['find', '/var/backups/sallyport', '-name', 'sallyport-*.backup', '-size', '+1k'];
    await eventually(
      async () => (await host.run(found)).out,
      (text) => /^\S+\.backup\n$/.test(text),
      SERVED_MAX_MS,
    );
    expect((await host.run(['systemctl', 'is-enabled', TIMER])).out).toBe('enabled\n');
    const { out } = await host.run(['systemctl', 'show', '--value', '--property', 'NextElapseUSecRealtime', TIMER]);
    expect(out).toMatch(/ 00:\d\d:\d\d /);
  });

  const journal = async () => (await host.run(['journalctl', '--unit', UNIT, '--output', 'cat'])).out;

  it.each([
    ['tcp', PORTS.console, /0\.0\.0\.0:9443/],
    ['tcp', PORTS.http, /0\.0\.0\.0:80/],
    ['udp', PORTS.tunnel, /51820/],
  ])(
    'comes up by itself where another program has %s port %i at the start, and ends later',
    async (protocol, port, said) => {
      await host.run(['systemctl', 'stop', UNIT]);
      const taker = await startReady('perl', '-e', TAKER, protocol, String(port));
      const before = (await journal()).length;
      await host.run(['systemctl', 'start', UNIT]);
      await eventually(
        async () => (await journal()).slice(before),
        (text) => said.test(text),
        SERVED_MAX_MS,
      );
      taker.child.stdin.end();
      await taker.ended;
      await serves();
      const found = await eventually(health, (text) => text.includes('"tunnel":"up"'), SERVED_MAX_MS);
      expect(found).toContain('"status":"ok"');
    },
    120_000,
  );

  it('comes up by itself when an address that it listens on comes after the start', async () => {
    const setting = `echo SALLYPORT_LISTEN=${LATE_ADDRESS}:3000 >> /etc/sallyport/gateway.env`;
    await host.run([
      'sh',
      '-c',
      `mkdir -p /etc/sallyport && ${setting} && systemctl stop ${UNIT} && systemctl start ${UNIT}`,
    ]);
    await eventually(journal, (text) =>
      text.includes(`on ${LATE_ADDRESS}:3000: the machine does not have this address`),
    );
    expect(await host.run(['ip', 'address', 'add', `${LATE_ADDRESS}/32`, 'dev', 'lo'])).toMatchObject({ code: 0 });
    await serves();
    await host.run(['sh', '-c', `rm /etc/sallyport/gateway.env && systemctl restart ${UNIT}`]);
    await serves();
  });

  it('ends nginx and the tunnel with it, and has them again at the next start', async () => {
    expect(await host.run(['systemctl', 'disable', '--now', UNIT])).toMatchObject({ code: 0 });
    expect([await nginx(), await tunnel(), await property('ActiveState')]).toEqual(['', '', 'inactive']);
    expect(await host.run(['systemctl', 'enable', '--now', UNIT])).toMatchObject({ code: 0 });
    await serves();
    expect(await tunnel()).not.toBe('');
  });

  it('serves again after the machine was turned off and on, where nothing of Debian’s takes its ports or its work', async () => {
    for (const machine of ['before', 'after']) {
      if (machine === 'after') {
        // No one says goodbye: the power is cut.
        await host.close();
        await boot();
      }
      await serves();
      await eventually(page, (text) => text === 'page');
      expect(await tunnel()).not.toBe('');
      for (const unit of DEBIANS) {
        const states = await host.run([
          'systemctl',
          'show',
          '--value',
          '--property',
          'UnitFileState,ActiveState',
          unit,
        ]);
        expect([unit, states.out.trim().split('\n')]).toEqual([unit, ['inactive', 'disabled']]);
      }
    }
  }, 120_000);
});
