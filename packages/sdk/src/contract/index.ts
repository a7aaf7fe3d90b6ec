export * from './attribute.ts';
export * from './contract.ts';
export * from './endpoint.ts';
export * from './field.ts';
export * from './message.ts';
export * from './paging.ts';
export * from './problem.ts';
export * from './soundRow.ts';
