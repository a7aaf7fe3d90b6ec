import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigFile, Ingress } from './ingress.ts';

/** An ingress on trial, and how to see what it serves. */
export type IngressTrial = {
  ingress: Ingress;
  /** A configuration that answers visitors with this word and the generation's number: `word 12`. */
  serving(word: string): ConfigFile[];
  /** A configuration whose file `broken.conf` is refused for its third line. */
  broken(): ConfigFile[];
  /** What a visitor gets; null when no one answers. */
  visit(): Promise<string | null>;
  /** Ends the master as a crash would. */
  crash(): Promise<void>;
  close(): Promise<void>;
};

/** Registers the tests that every ingress must pass, the real one and the one in memory. */
export function describeIngress(name: string, open: () => Promise<IngressTrial>): void {
  describe(`an ingress: ${name}`, () => {
    let trial: IngressTrial;
    beforeEach(async () => {
      trial = await open();
    });
    afterEach(() => trial.close());

    const apply = async (files: ConfigFile[]): Promise<number> => {
      const applied = await trial.ingress.apply(files);
      expect(applied).toMatchObject({ ok: true });
      return applied.ok ? applied.generation : 0;
    };

    it('serves nothing before the first configuration', async () => {
      expect(await trial.ingress.running()).toBe(false);
      expect(await trial.visit()).toBeNull();
    });

    it('serves a configuration, then the next one, under rising numbers', async () => {
      const first = await apply(trial.serving('one'));
      expect(await trial.visit()).toBe(`one ${first}`);
      expect(await trial.ingress.running()).toBe(true);
      const second = await apply(trial.serving('two'));
      expect(second).toBeGreaterThan(first);
      expect(await trial.visit()).toBe(`two ${second}`);
    });

    it('goes on serving when the next configuration is refused, and says where', async () => {
      const first = await apply(trial.serving('one'));
      const refused = await trial.ingress.apply(trial.broken());
      expect(refused).toMatchObject({ ok: false, faults: [{ file: 'broken.conf', line: 3 }] });
      expect(await trial.visit()).toBe(`one ${first}`);
      const second = await apply(trial.serving('two'));
      expect(await trial.visit()).toBe(`two ${second}`);
    });

    it('does not start with a configuration that is refused', async () => {
      expect(await trial.ingress.apply(trial.broken())).toMatchObject({ ok: false });
      expect(await trial.ingress.running()).toBe(false);
    });

    it('tells the origin of what is served', async () => {
      const { ingress } = trial;
      expect(await ingress.origin()).toBeNull();
      expect(await ingress.apply(trial.serving('one'), 'first')).toMatchObject({ ok: true });
      await ingress.apply(trial.broken(), 'second');
      expect(await ingress.origin()).toBe('first');
      await apply(trial.serving('two'));
      expect(await ingress.origin()).toBeUndefined();
      await ingress.apply(trial.serving('three'), 'third');
      await ingress.stop();
      expect(await ingress.origin()).toBe('third');
    });

    it('checks without serving', async () => {
      const first = await apply(trial.serving('one'));
      expect(await trial.ingress.check(trial.serving('two'))).toEqual([]);
      expect(await trial.ingress.check(trial.broken())).toMatchObject([{ file: 'broken.conf', line: 3 }]);
      expect(await trial.visit()).toBe(`one ${first}`);
    });

    it('takes configurations that come at once one after the other; the last one stays', async () => {
      const words = ['a', 'b', 'c', 'd'];
      const applied = await Promise.all(words.map((word) => trial.ingress.apply(trial.serving(word))));
      const numbers = applied.map((each) => (each.ok ? each.generation : 0));
      expect(numbers).toEqual(numbers.toSorted((left, right) => left - right));
      expect(new Set(numbers).size).toBe(words.length);
      expect(await trial.visit()).toBe(`d ${numbers.at(-1)}`);
    });

    it('tells of a death, once, and comes back with the next configuration', async () => {
      await apply(trial.serving('one'));
      let deaths = 0;
      const died = new Promise<void>((resolve) => {
        trial.ingress.onDeath(() => {
          deaths += 1;
          resolve();
        });
      });
      await trial.crash();
      await died;
      const second = await apply(trial.serving('two'));
      expect(await trial.visit()).toBe(`two ${second}`);
      expect(deaths).toBe(1);
    });

    it('stops, without calling that a death, and starts again', async () => {
      await apply(trial.serving('one'));
      let deaths = 0;
      trial.ingress.onDeath(() => {
        deaths += 1;
      });
      await trial.ingress.stop();
      expect(await trial.ingress.running()).toBe(false);
      expect(await trial.visit()).toBeNull();
      const second = await apply(trial.serving('two'));
      expect(await trial.visit()).toBe(`two ${second}`);
      expect(deaths).toBe(0);
    });

    it('refuses a file that would lie outside of its generation', async () => {
      const outside = [...trial.serving('one'), { path: '../outside.conf', text: '' }];
      await expect(trial.ingress.apply(outside)).rejects.toThrow(TypeError);
    });
  });
}
