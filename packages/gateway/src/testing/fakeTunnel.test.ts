import { createFakeTunnel } from './fakeTunnel.ts';
import { describeTunnel, tunnelPlanOf } from '../tunnel/wireguard/tunnel.contract.ts';

describeTunnel('in memory', () => {
  const tunnel = createFakeTunnel();
  tunnel.setStatus({ available: true });
  let alarms = 0;
  tunnel.onDamage(() => (alarms += 1));
  return Promise.resolve({
    interface: 'test0',
    trial: {
      status: () => Promise.resolve(tunnel.status()),
      present: () => Promise.resolve(tunnel.present()),
      apply: (plan) => tunnel.apply(tunnelPlanOf(plan)),
      read: tunnel.read,
      remove: tunnel.remove,
      alarms: () => Promise.resolve(alarms),
      damage: () => {
        tunnel.damage();
        return Promise.resolve();
      },
      close: () => {
        tunnel.close();
        return Promise.resolve();
      },
    },
  });
});
