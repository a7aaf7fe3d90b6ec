import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeKeys } from '../../vault/keyVault.ts';
import { Secret } from '../../vault/secret.ts';
import type { PeerReading, TunnelApplied, TunnelPlan, TunnelStatus } from './tunnel.ts';

/** A plan that can be written down: it has to reach a tunnel in another network. */
export type TrialPlan = {
  interface: string;
  publicKey: string;
  privateKey: string;
  /** Public keys; the first has the address 10.88.0.2. */
  nodes: readonly string[];
  /** Pairs of a public key and a place. */
  endpoints?: readonly (readonly [string, string])[];
  subnets?: readonly string[];
  forwards?: boolean;
  /** Why the text for `wg` cannot be had. */
  keyProblem?: string;
  /** The text for `nft`; one that works unless given. */
  firewall?: string;
};

/** A tunnel on trial, wherever it is. */
export type TunnelTrial = {
  status(): Promise<TunnelStatus>;
  present(): Promise<boolean>;
  apply(plan: TrialPlan): Promise<TunnelApplied>;
  read(): Promise<readonly PeerReading[] | null>;
  remove(): Promise<void>;
  /** How often it told of damage. */
  alarms(): Promise<number>;
  /** Takes the interface away by another hand. */
  damage(): Promise<void>;
  close(): Promise<void>;
};

const PORT = 51_820;
const FIRST_NODE = 2;

/** The table of the packet filter of an interface on trial. */
export const trialTable = (interfaceName: string): string => `sallyport_${interfaceName}`;

/** The plan as a tunnel takes it. */
export function tunnelPlanOf(trial: TrialPlan): TunnelPlan {
  const { nodes, privateKey, subnets = [], forwards = false, endpoints = [] } = trial;
  const table = `table inet ${trialTable(trial.interface)}`;
  const networksOf = (index: number): string[] => [`10.88.0.${index + FIRST_NODE}/32`, ...(index === 0 ? subnets : [])];
  return {
    publicKey: trial.publicKey,
    peers: new Map(nodes.map((key, index) => [key, networksOf(index)])),
    keyProblem: trial.keyProblem ?? null,
    firewall: trial.firewall ?? `${table}\ndelete ${table}\n${table} { set forwards_for_nodes { type ifname; }; }\n`,
    network: '10.88.0.0/16',
    gateway: '10.88.0.1',
    port: PORT,
    subnets,
    forwards,
    endpoints: new Map(endpoints),
    config: (places) =>
      new Secret(
        [
          `[Interface]\nPrivateKey = ${privateKey}\nListenPort = ${PORT}`,
          ...nodes.map((key, index) => {
            const place = places.get(key);
            const peer = `[Peer]\nPublicKey = ${key}\nAllowedIPs = ${networksOf(index).join(', ')}`;
            return place === undefined ? peer : `${peer}\nEndpoint = ${place}`;
          }),
          '',
        ].join('\n'),
      ),
  };
}

/** A plan of a gateway that no one else is. */
export function newTrialPlan(interfaceName: string): TrialPlan {
  const { publicKey, privateKey } = createNodeKeys();
  return { interface: interfaceName, publicKey, privateKey: privateKey.reveal(), nodes: [] };
}

/** Registers the tests that every tunnel must pass, the real one and the one in memory. */
export function describeTunnel(name: string, open: () => Promise<{ trial: TunnelTrial; interface: string }>): void {
  describe(`a tunnel: ${name}`, () => {
    let trial: TunnelTrial;
    let plan: TrialPlan;
    const [one, two, three] = [createNodeKeys(), createNodeKeys(), createNodeKeys()].map((keys) => keys.publicKey) as [
      string,
      string,
      string,
    ];
    beforeEach(async () => {
      const opened = await open();
      trial = opened.trial;
      plan = newTrialPlan(opened.interface);
    });
    afterEach(() => trial.close());

    const keys = async (): Promise<string[] | null> =>
      (await trial.read())?.map(({ publicKey }) => publicKey).toSorted() ?? null;
    const silent = (publicKey: string): PeerReading => ({ publicKey, endpoint: null, handshakeAt: null, rx: 0, tx: 0 });

    it('sets up nothing before the first plan', async () => {
      expect(await trial.status()).toEqual({ available: true });
      expect(await trial.present()).toBe(false);
      expect(await trial.read()).toBeNull();
    });

    it('has the nodes of the plan, none of which was heard yet', async () => {
      const applied = await trial.apply({ ...plan, nodes: [one, two] });
      expect(applied).toEqual({ status: { available: true }, refusedSubnets: new Map(), forwardingProblem: null });
      expect(await trial.present()).toBe(true);
      expect(await keys()).toEqual([one, two].toSorted());
      expect(await trial.read()).toEqual(expect.arrayContaining([silent(one), silent(two)]));
    });

    it('has those of the next plan, and no others', async () => {
      await trial.apply({ ...plan, nodes: [one, two] });
      await trial.apply({ ...plan, nodes: [two, three] });
      expect(await keys()).toEqual([two, three].toSorted());
      await trial.apply({ ...plan, nodes: [] });
      expect(await keys()).toEqual([]);
    });

    it('knows where a node was last when it comes back, and knows better of one that is here', async () => {
      const place = '198.51.100.7:40000';
      await trial.apply({ ...plan, nodes: [one], endpoints: [[one, place]] });
      expect(await trial.read()).toEqual([{ ...silent(one), endpoint: place }]);
      const elsewhere = [
        [one, '198.51.100.9:1'],
        [two, '198.51.100.8:2'],
      ] as const;
      await trial.apply({ ...plan, nodes: [one, two], endpoints: elsewhere });
      expect(await trial.read()).toEqual(
        expect.arrayContaining([
          { ...silent(one), endpoint: place },
          { ...silent(two), endpoint: '198.51.100.8:2' },
        ]),
      );
    });

    it('tells when it was taken away, and the next plan brings it back', async () => {
      await trial.apply({ ...plan, nodes: [one] });
      await trial.damage();
      // Some kinds are found out by asking.
      await expect.poll(trial.read).toBeNull();
      await expect.poll(trial.alarms).toBe(1);
      expect(await trial.present()).toBe(false);
      expect(await trial.apply({ ...plan, nodes: [one] })).toMatchObject({ status: { available: true } });
      expect(await keys()).toEqual([one]);
    });

    it('is gone when it is removed, which is no damage, and can be set up again', async () => {
      await trial.apply({ ...plan, nodes: [one] });
      await trial.remove();
      expect(await trial.present()).toBe(false);
      expect(await trial.read()).toBeNull();
      expect(await trial.alarms()).toBe(0);
      await trial.apply({ ...plan, nodes: [two] });
      expect(await keys()).toEqual([two]);
    });
  });
}
