import { vpnSubnet } from '../rules/ipNetwork.ts';
import type { ConfiguredNode, NodeConfiguration } from '../world.ts';
import {
  type TunnelServer,
  wireguardClient,
  wireguardClientText,
  wireguardFileName,
} from './render/wireguardClient.ts';
import { WireguardTextError } from './render/wireguardText.ts';
import { type KeyVault, SealError } from '../vault/keyVault.ts';

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
