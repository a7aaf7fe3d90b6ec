import type { RenderOptions } from '../ingress/render/desiredState.ts';

/** An ingress on paper: its paths lead nowhere. */
export const renderOptions: RenderOptions = {
  layout: {
    generationMark: '@GENERATION@',
    tmp: '/data/tmp',
    acme: '/data/acme',
    gatewaySocket: '/data/run/gateway.sock',
    statusSocket: '/data/run/status.sock',
    accessLog: '/data/logs/access.log',
    errorLog: '/data/logs/error.log',
    pidFile: '/data/run/nginx.pid',
    workerUser: { name: 'www-data' },
    streamModule: null,
    hasHalfClose: true,
  },
  listen: ['0.0.0.0', '[::]'],
  ports: { http: 80, https: 443, console: 9443 },
  answersTo: ['gateway.test'],
  workers: 2,
  connections: 16_384,
  pinned: true,
  certificate: { certificate: '/data/own.pem', key: '/data/own.key' },
  tcpCertificate: { certificate: '/data/tcp.pem', key: '/data/tcp.key' },
};
