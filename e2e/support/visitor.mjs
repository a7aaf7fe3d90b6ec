// A visitor in a network of the tests, in one of these ways; what came of it is printed.
import { createSocket } from 'node:dgram';
import { request } from 'node:https';
import { connect } from 'node:net';

const LIMIT_MS = 15_000;
/** Of steady visits. Where the machine does not keep up, they come more seldom instead of all at once. */
const WAITING_MAX = 50;
const [way, host, port, ...rest] = process.argv.slice(2);

const say = (text) => process.stdout.write(`${text}\n`);

/** What a TCP port answers to a word. */
function tcp(word) {
  const socket = connect(Number(port), host);
  socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('nothing in time')));
  socket.on('error', (error) => say(`failed: ${error.message}`));
  socket.on('connect', () => socket.write(word));
  socket.once('data', (data) => {
    say(String(data));
    socket.destroy();
  });
}

/** Says when a TCP connection that no one uses ends. */
function hold(word) {
  const socket = connect(Number(port), host);
  socket.on('error', () => undefined);
  socket.on('connect', () => socket.write(word));
  socket.on('data', (data) => say(String(data)));
  socket.on('close', () => say('closed'));
}

function udp(word) {
  const socket = createSocket('udp4');
  const timer = setTimeout(() => {
    say('failed: nothing in time');
    socket.close();
  }, LIMIT_MS);
  socket.once('message', (data) => {
    clearTimeout(timer);
    say(String(data));
    socket.close();
  });
  socket.send(word, Number(port), host);
}

/** Which of these TCP ports of a host can be connected to. */
async function scan(...ports) {
  const open = [];
  await Promise.all(
    ports.map(
      (each) =>
        new Promise((done) => {
          const socket = connect(Number(each), host);
          socket.setTimeout(Number(port), () => socket.destroy());
          socket.on('connect', () => {
            open.push(each);
            socket.destroy();
          });
          socket.on('error', () => undefined);
          socket.on('close', done);
        }),
    ),
  );
  say(JSON.stringify(open));
}

/**
 * Asks for a page so many times a second, at most, until its input ends; each time a new connection, as strangers do.
 * Says a dot for each that is over, and at the end what came of them.
 */
function steady(path, perSecond, wanted) {
  let sent = 0;
  let failed = 0;
  let waiting = 0;
  const reasons = {};
  const over = () => {
    waiting -= 1;
    say('.');
  };
  const fail = (reason) => {
    failed += 1;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  };
  const ask = () => {
    if (waiting >= WAITING_MAX) return;
    sent += 1;
    waiting += 1;
    const asked = request({ host, port: Number(port), path, agent: false, rejectUnauthorized: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () => {
        over();
        if (response.statusCode !== 200 || !body.startsWith(wanted)) fail(`${response.statusCode}`);
      });
      response.on('error', (error) => fail(error.message));
    });
    asked.setTimeout(LIMIT_MS * 2, () => asked.destroy(new Error('nothing in time')));
    asked.on('error', (error) => {
      over();
      fail(error.message);
    });
    asked.end();
  };
  const timer = setInterval(ask, 1000 / Number(perSecond));
  process.stdin.on('end', async () => {
    clearInterval(timer);
    while (waiting > 0) await new Promise((done) => setTimeout(done, 20));
    say(JSON.stringify({ sent, failed, reasons }));
    process.exit();
  });
  process.stdin.resume();
}

await { tcp, hold, udp, scan, steady }[way](...rest);
