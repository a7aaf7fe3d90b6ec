import { createFakeTunnel } from './fakeTunnel.ts';
import { describeTunnel, tunnelPlanOf } from '../tunnel/wireguard/tunnel.contract.ts';
import { createFakeIngress } from './fakeIngress.ts';
import { describeIngress } from '../ingress/nginx/ingress.contract.ts';
import { describeIssuer } from '../certificates/certificateIssuer.contract.ts';
import { createFakeCertificateIssuer } from './fakeCertificateIssuer.ts';

describeTunnel('in memory', () => {
  const tunnel = createFakeTunnel();
  tunnel.setStatus({ available: true });
  let alarms = 0;
  tunnel.onDamage(() => (alarms += 1));
  return Promise.resolve({
    interface: 'test0',
    trial: {
      status: async () => tunnel.status(),
      present: async () => tunnel.present(),
      apply: (plan) => tunnel.apply(tunnelPlanOf(plan)),
      read: tunnel.read,
      remove: tunnel.remove,
      alarms: async () => alarms,
      damage: async () => tunnel.damage(),
      close: async () => tunnel.close(),
    },
  });
});

describeIngress('in memory', () => {
  const ingress = createFakeIngress();
  ingress.rejectWhen((files) => {
    const broken = files.find(({ path }) => path === 'broken.conf');
    return broken === undefined ? null : { message: 'unknown directive', file: broken.path, line: 3 };
  });
  return Promise.resolve({
    ingress,
    serving: (word) => [{ path: 'nginx.conf', text: `${word} ${ingress.layout.generationMark}` }],
    broken: () => [
      { path: 'nginx.conf', text: 'include broken.conf;' },
      { path: 'broken.conf', text: '\n\nno_such_directive;' },
    ],
    visit: () => Promise.resolve(ingress.served()?.files[0]?.text ?? null),
    crash: async () => ingress.crash(),
    close: async () => ingress.close(),
  });
});

describeIssuer('in memory', () => {
  const issuer = createFakeCertificateIssuer();
  return Promise.resolve({
    issuer,
    loseName: (domain) => issuer.refuse(domain, { kind: 'dns', detail: 'no such name' }),
    findName: (domain) => issuer.refuse(domain, null),
    close: () => Promise.resolve(),
  });
});
