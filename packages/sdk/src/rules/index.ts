export * from './accessToken.ts';
export * from './backendHost.ts';
export * from './ipv4Range.ts';
export * from './nodeCan.ts';
export * from './requireAuth.ts';
export * from './serviceCan.ts';
export * from './timeToLive.ts';
export type { Verdict } from './verdict.ts';
