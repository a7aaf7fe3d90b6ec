import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFlowSeal, FLOW_SECONDS, type Flow } from './signInFlow.ts';
import { createTestClock } from '../testing/testClock.ts';

const flow: Flow = { domainId: 7, wanted: '/deep?a=1', nonce: 'the nonce', verifier: 'the verifier' };
const START = new Date('2026-11-21T12:00:00.000Z');
const BROWSER = 'known to the browser alone';

it('gives back what it sealed, and shows nothing of it on the way', () => {
  const seal = createFlowSeal(createTestClock(START).now);
  const state = seal.seal(flow, BROWSER);
  expect(seal.open(state, BROWSER)).toEqual(flow);
  expect(state).toMatch(/^[\w-]+$/);
  for (const secret of ['nonce', 'verifier', 'deep']) {
    expect(Buffer.from(state, 'base64url').toString('latin1')).not.toContain(secret);
  }
  expect(seal.seal(flow, BROWSER)).not.toBe(state);
});

it('opens nothing for another browser, of another gateway, or that came too late', () => {
  const clock = createTestClock(START);
  const seal = createFlowSeal(clock.now);
  const state = seal.seal(flow, BROWSER);
  expect(seal.open(state, 'another')).toBeNull();
  expect(seal.open(state, '')).toBeNull();
  expect(createFlowSeal(clock.now).open(state, BROWSER)).toBeNull();
  clock.advance(FLOW_SECONDS * 1000 - 1);
  expect(seal.open(state, BROWSER)).toEqual(flow);
  clock.advance(1);
  expect(seal.open(state, BROWSER)).toBeNull();
});

it('opens nothing that was changed, cut or made up', () => {
  const seal = createFlowSeal(createTestClock(START).now);
  const bytes = Buffer.from(seal.seal(flow, BROWSER), 'base64url');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ change;
      expect(seal.open(changed.toString('base64url'), BROWSER)).toBeNull();
      expect(seal.open(bytes.subarray(0, at).toString('base64url'), BROWSER)).toBeNull();
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (state) => {
      expect(seal.open(state, BROWSER)).toBeNull();
    }),
  );
});
