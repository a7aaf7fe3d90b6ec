import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import { errorCode } from '../machine/errorCode.ts';
import { clientHello, readAnswer, type TlsAnswer } from './tlsHello.ts';

/** A backend as nginx will reach it. */
export type ProbeTarget = {
  proto: 'http' | 'https' | 'tcp';
  /** IP addresses; it is enough that one of them answers. */
  addresses: readonly string[];
  /** Of this machine, from which it is asked; null: any. */
  sourceAddress: string | null;
  port: number;
  /** The name that the TLS handshake asks for, as nginx would; null: none. */
  serverName: string | null;
};

/**
 * Asks a backend whether it is there: a connection, and for https the first words of a TLS handshake; never a request, so
 * nothing that it would act upon. The certificate is not checked, because nginx does not check it either, and not even
 * read: one made for the purpose costs half a second, in which the gateway does nothing else.
 * @param signal gives the question up, and with it every connection that was made for it
 * @returns null: it answers; else why it does not and what to do, in sentences
 * @throws when nothing was learned about the backend, because this machine itself could not ask
 */
export type BackendProbe = (target: ProbeTarget, signal: AbortSignal) => Promise<string | null>;

const LIMIT_MS = 5000;
/** A name with more addresses than these is asked at the first ones. */
const ADDRESSES_MAX = 8;

/** Why one address does not answer. */
class Silence extends Error {
  /** It did answer, only not as it should: that says more than the silence of another address. */
  readonly spoke: boolean;

  constructor(sentence: string, spoke = false) {
    super(sentence);
    this.spoke = spoke;
  }
}

/** The probe of the real network. */
export function createBackendProbe(limitMs = LIMIT_MS): BackendProbe {
  const ask = async (
    address: string,
    { proto, sourceAddress, port, serverName }: ProbeTarget,
    opened: (socket: Socket) => void,
    isLate: () => boolean,
  ): Promise<void> => {
    const peer = isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
    const to = { host: address, port, ...(sourceAddress !== null && { localAddress: sourceAddress }) };
    const socket = connect(to);
    opened(socket);
    try {
      await once(socket, 'connect');
    } catch (error) {
      throw isLate() ? tooLate(peer, limitMs) : unconnected(peer, error);
    }
    if (proto !== 'https') return;
    const answer = await helloOver(socket, serverName).catch((error: unknown) => {
      throw isLate() ? tooLateForTls(peer, limitMs) : brokenOff(peer, error);
    });
    const fault = answer === null ? brokenOff(peer) : faultOf(peer, answer);
    if (fault !== null) throw fault;
  };

  return async (target, signal) => {
    signal.throwIfAborted();
    const sockets = new Set<Socket>();
    let late = false;
    const opened = (socket: Socket): void => {
      // Whatever happens to a connection after its answer is no news.
      socket.on('error', () => undefined);
      sockets.add(socket);
    };
    const close = (reason?: Error): void => {
      for (const socket of sockets) socket.destroy(reason);
    };
    const timer = setTimeout(() => {
      late = true;
      close(new Error('too late'));
    }, limitMs);
    const giveUp = (): void => close(new Error('given up'));
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const addresses = target.addresses.slice(0, ADDRESSES_MAX);
      await Promise.any(addresses.map((address) => ask(address, target, opened, () => late)));
      return null;
    } catch (error) {
      signal.throwIfAborted();
      return reasonOf(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      close();
    }
  };
}

/** @throws the fault of this machine, if one of the addresses could not be asked for it */
function reasonOf(error: unknown): string {
  if (!(error instanceof AggregateError)) throw error;
  const silences = (error.errors as unknown[]).map((each) => {
    if (each instanceof Silence) return each;
    throw each;
  });
  const { message } = silences.find(({ spoke }) => spoke) ?? silences[0] ?? new Silence('It has no address.');
  return message;
}

const seconds = (ms: number): string => `${ms / 1000} seconds`;

const tooLate = (peer: string, limitMs: number): Silence =>
  new Silence(
    `${peer} did not answer within ${seconds(limitMs)}. Check the address, that its machine is on, and the firewalls in between.`,
  );

/** Faults of the gateway's own machine, which say nothing about a backend. */
const OWN_FAULTS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAGAIN']);

const UNCONNECTED: Record<string, (peer: string) => string> = {
  ECONNREFUSED: (peer) => `Nothing listens on ${peer}. Start the service, or correct the port.`,
  ETIMEDOUT: (peer) =>
    `${peer} did not answer. Check the address, that its machine is on, and the firewalls in between.`,
  EHOSTUNREACH: (peer) => `No machine answers at ${peer}. Check the address, and that the machine is on.`,
  ENETUNREACH: (peer) => `There is no way to the network of ${peer}. Check the address.`,
  EACCES: (peer) => `The gateway's own machine forbids connections to ${peer}. Check its firewall.`,
  EPERM: (peer) => `The gateway's own machine forbids connections to ${peer}. Check its firewall.`,
};

function unconnected(peer: string, error: unknown): unknown {
  const code = errorCode(error);
  if (OWN_FAULTS.has(code) || code === '') return error;
  return new Silence(
    UNCONNECTED[code]?.(peer) ?? `${peer} cannot be reached (${code}). Check the address and the port.`,
  );
}

const IF_PLAIN = 'If it speaks plain HTTP, choose http as its protocol.';

const tooLateForTls = (peer: string, limitMs: number): Silence =>
  new Silence(
    `${peer} takes connections, but did not finish a TLS handshake within ${seconds(limitMs)}. ${IF_PLAIN}`,
    true,
  );

function brokenOff(peer: string, error?: unknown): Silence {
  const code = errorCode(error);
  const how = code === '' || code === 'ECONNRESET' || code === 'EPIPE' ? '' : ` (${code})`;
  return new Silence(`${peer} takes connections, but ends them during the TLS handshake${how}. ${IF_PLAIN}`, true);
}

function faultOf(peer: string, answer: TlsAnswer): Silence | null {
  switch (answer.kind) {
    case 'hello':
      return null;
    case 'alert':
      return new Silence(
        `${peer} refuses the TLS handshake (${answer.words}). The log of the backend may say why.`,
        true,
      );
    case 'old':
      return new Silence(`${peer} offers no version of TLS from 1.2 on, and the gateway takes no older one.`, true);
    default:
      return new Silence(`${peer} answers, but not with TLS. Choose http as its protocol.`, true);
  }
}

/** What a server answers to the first words of a client; null: it ends the connection before. */
async function helloOver(socket: Socket, serverName: string | null): Promise<TlsAnswer | null> {
  socket.write(await clientHello(serverName));
  let heard = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    heard = Buffer.concat([heard, chunk]);
    const answer = readAnswer(heard);
    if (answer !== null) return answer;
  }
  return null;
}
