import type { Feature, UnavailableFeature } from '@sallyport/sdk/contract';
import type { Clock, ConfiguredNode, NodeConfiguration, World } from '../world.ts';
import type { BackendHealth } from '../health/backendHealth.ts';
import type { IssuedCertificates } from '../certificates/renewal.ts';
import type { Reconciler } from '../ingress/reconcile.ts';
import { NO_STREAM } from '../ingress/state.ts';
import type { TunnelFollower } from '../tunnel/reconcile.ts';
import type { TunnelWatch } from '../tunnel/monitor.ts';
import {
  type TunnelServer,
  wireguardClient,
  wireguardClientText,
  wireguardFileName,
  WireguardTextError,
} from '../tunnel/render/wireguardClient.ts';
import { portIsFree } from '../machine/listenPorts.ts';
import { localRoutes, usedAddresses } from '../tunnel/wireguard/localNetworks.ts';
import { type KeyVault, SealError } from '../vault/keyVault.ts';
import { newNodeKeys } from './keys.ts';
import { addressCandidates, readMachineNetwork, reportAddress } from './publicAddress.ts';
import type { System } from './system.ts';
import type { SignInState } from '../signin/provider.ts';
import { vpnSubnet } from '../rules/ipNetwork.ts';

const REJOIN =
  'Its keys were replaced, because the key file of the gateway was lost. Its host must join again: run "sudo sallyport connect" there, or give it its new configuration.';

/** Joins what the parts of the system and the reconciler know into what handlers may ask. */
export function createWorld(parts: {
  system: Pick<System, 'certificates' | 'issuer' | 'lastBackup' | 'logs' | 'nameServers' | 'vault'> & {
    ingress: { layout: Pick<System['ingress']['layout'], 'hasStream'> };
  };
  reconciler: Pick<Reconciler, 'problem' | 'certificate' | 'onFindings' | 'state' | 'endsConnections' | 'leftBehind'>;
  health: Pick<BackendHealth, 'get' | 'probed' | 'asked' | 'onChange'>;
  issued: Pick<IssuedCertificates, 'tried'>;
  dns: World['dns'];
  tunnel: Pick<TunnelFollower, 'forwardingProblem' | 'status'>;
  nodes: Pick<TunnelWatch, 'runtime' | 'onRuntime' | 'mustRejoin'>;
  clock: Clock;
  /** The gateway's end of the tunnel. */
  vpn: TunnelServer & {
    /** The name of the tunnel's network interface. */
    interface: string;
  };
  signIn(): SignInState;
  test: World['test'];
  liveSettings: World['liveSettings'];
  /** The names of the console's certificate. */
  ownNames: readonly string[];
  wiredoorTokenId: World['wiredoorTokenId'];
  /** What the start found to be missing, and what stays so until the next one. */
  unavailable: readonly UnavailableFeature[];
}): World {
  const { system, reconciler, health, clock } = parts;
  return {
    now: clock.now,
    problem: (kind, id) =>
      reconciler.problem(kind, id) ?? (kind === 'node' && parts.nodes.mustRejoin(id) ? REJOIN : null),
    certificate: reconciler.certificate,
    nodeRuntime: parts.nodes.runtime,
    onNodeRuntime: parts.nodes.onRuntime,
    health: health.get,
    probed: health.probed,
    asked: health.asked,
    onFindings(listener) {
      const stops = [reconciler.onFindings(listener), health.onChange(listener)];
      return () => stops.forEach((stop) => stop());
    },
    lines: { open: system.logs.open, lastTimes: system.logs.lastTimes },
    portIsFree,
    dns: parts.dns,
    publicAddress: {
      report: (chosen) => reportAddress(chosen, system.nameServers, readMachineNetwork(parts.vpn.interface)),
      candidates: () => addressCandidates(system.nameServers, readMachineNetwork(parts.vpn.interface)),
    },
    certificateIssuer: system.issuer.availability,
    async hasCertificate(domain) {
      const pair = await system.issuer.find(domain);
      return pair !== null && pair.notAfter > clock.now();
    },
    certified: parts.issued.tried,
    signIn: parts.signIn,
    test: parts.test,
    liveSettings: parts.liveSettings,
    wiredoorTokenId: parts.wiredoorTokenId,
    localRoutes: async () => localRoutes(parts.vpn.interface),
    usedAddresses: async () => usedAddresses(parts.vpn.interface),
    leftBehind: reconciler.leftBehind,
    consoleKeyPin: async () => (await system.certificates.ensureSelfSigned(parts.ownNames)).keyPin,
    newNodeKeys: () => newNodeKeys(system.vault),
    nodeConfiguration: createNodeConfigurations(system.vault, parts.vpn),
    ingress: () => {
      const { up, generation } = reconciler.state();
      return { up, generation };
    },
    tunnel() {
      const status = parts.tunnel.status();
      if (status.available) return 'up';
      return status.failed === true ? 'down' : 'off';
    },
    lastBackup: () => system.lastBackup(clock.now()),
    unavailable() {
      const tunnel = parts.tunnel.status();
      const signIn = parts.signIn();
      const missing = (feature: Feature, reason: string | null, fix: string, chosen = false): UnavailableFeature[] =>
        reason === null ? [] : [{ feature, reason, fix, ...(chosen && { chosen }) }];
      return [
        ...parts.unavailable,
        ...missing('ingress', reconciler.state().problem, 'It is tried again by itself.'),
        ...missing('tcpServices', system.ingress.layout.hasStream ? null : NO_STREAM.reason, NO_STREAM.fix),
        ...missing(
          'tunnel',
          reasonOf(tunnel),
          tunnel.available ? '' : tunnel.fix,
          !tunnel.available && tunnel.chosen === true,
        ),
        ...missing(
          'internetThroughVpn',
          parts.tunnel.forwardingProblem(),
          'Then disconnect the node and connect it again.',
        ),
        ...missing('letsEncrypt', reasonOf(system.issuer.availability()), 'Choose self-signed ones.'),
        ...missing(
          'endingConnections',
          reconciler.endsConnections()
            ? null
            : 'This machine does not let the gateway end the open connections of a service that is closed.',
          'They end by themselves within 30 minutes; run the gateway as root with iproute2 installed.',
        ),
        ...missing(
          'olderLogLines',
          system.logs.problem(),
          'New lines are stored as usual. Remove that file when you do not need it, then start the gateway again.',
        ),
        ...missing(
          'visitorSignIn',
          reasonOf(signIn),
          'Until then limit services by address.',
          !signIn.available && signIn.chosen === true,
        ),
      ];
    },
  };
}

const reasonOf = (state: { available: true } | { available: false; reason: string }): string | null =>
  state.available ? null : state.reason;

/** Opens a node's keys and writes its configuration; the keys are in what is answered and nowhere else. */
export const createNodeConfigurations =
  (vault: Pick<KeyVault, 'open'>, server: TunnelServer) =>
  ({ sealedPrivateKey, sealedPresharedKey, ...node }: ConfiguredNode): NodeConfiguration => {
    if (sealedPrivateKey === null || sealedPresharedKey === null) {
      return { problem: 'The node has no keys. Delete it and create it again.' };
    }
    try {
      const keys = {
        privateKey: vault.open(sealedPrivateKey).reveal(),
        presharedKey: vault.open(sealedPresharedKey).reveal(),
      };
      const parts = { ...wireguardClient(node, keys, server), gatewayAddress: vpnSubnet(server.subnet).gateway };
      return {
        parts,
        fileName: wireguardFileName(node.id),
        text: wireguardClientText(parts, 'wg-quick'),
        appText: wireguardClientText(parts, 'app'),
      };
    } catch (error) {
      if (error instanceof WireguardTextError || error instanceof SealError) return { problem: error.message };
      throw error;
    }
  };
