export * from './attribute.ts';
export * from './cli.ts';
export {
  adminContract,
  type Contract,
  contract,
  type EndpointName,
  type EndpointNamed,
  endpoints,
  type Group,
} from './contract.ts';
export * from './domain.ts';
export * from './endpoint.ts';
export * from './field.ts';
export * from './httpService.ts';
export * from './log.ts';
export * from './message.ts';
export * from './node.ts';
export { OF_FORMS } from './ofForms.ts';
export * from './paging.ts';
export * from './problem.ts';
export * from './service.ts';
export * from './session.ts';
export * from './soundRow.ts';
export * from './system.ts';
export * from './tcpService.ts';
export * from './token.ts';
