import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CertificateIssuer, IssueError } from './certificateIssuer.ts';

/** An issuer on trial, and what its authority does. */
export type IssuerTrial = {
  issuer: CertificateIssuer;
  /** From now on the authority finds no address of this name. */
  loseName(domain: string): void;
  /** From now on the authority finds the name again. */
  findName(domain: string): void;
  close(): Promise<void>;
};

/** Registers the tests that every issuer must pass, the real one and the one in memory. */
export function describeIssuer(name: string, open: () => Promise<IssuerTrial>): void {
  describe(`an issuer: ${name}`, () => {
    let trial: IssuerTrial;
    beforeEach(async () => {
      trial = await open();
    });
    afterEach(() => trial.close());

    const never = new AbortController().signal;
    const issue = (domain: string, signal = never) => trial.issuer.issue(domain, signal);

    it('keeps what was issued, and has another key the next time', async () => {
      expect(trial.issuer.availability()).toEqual({ available: true });
      expect(await trial.issuer.find('a.example.test')).toBeNull();
      const first = await issue('a.example.test');
      expect(first.authority).toBe(trial.issuer.authority);
      expect(first.notAfter.getTime()).toBeGreaterThan(Date.now());
      expect(await trial.issuer.find('a.example.test')).toEqual(first);
      const second = await issue('a.example.test');
      expect(second.fingerprint256).not.toBe(first.fingerprint256);
      expect(second.certificate).toBe(first.certificate);
      expect(await trial.issuer.find('a.example.test')).toEqual(second);
    });

    it('says why there is none, and keeps what there was', async () => {
      const before = await issue('a.example.test');
      trial.loseName('a.example.test');
      const error = await issue('a.example.test')
        .catch((caught: unknown) => caught)
        .finally(() => trial.findName('a.example.test'));
      expect(error).toBeInstanceOf(IssueError);
      expect((error as IssueError).fault).toMatchObject({ kind: 'dns' });
      expect(await trial.issuer.find('a.example.test')).toEqual(before);
    });

    it('changes nothing when it is called off, and works afterwards', async () => {
      const off = new AbortController();
      const called = issue('a.example.test', off.signal);
      off.abort();
      await expect(called).rejects.toThrow(/abort/i);
      expect(await trial.issuer.find('a.example.test')).toBeNull();
      expect((await issue('a.example.test')).notAfter.getTime()).toBeGreaterThan(Date.now());
    });

    it('removes what no one wants any more', async () => {
      const kept = await issue('a.example.test');
      await trial.issuer.keepOnly(['a.example.test', 'never.example.test']);
      expect(await trial.issuer.find('a.example.test')).toEqual(kept);
      await trial.issuer.keepOnly(['other.example.test']);
      expect(await trial.issuer.find('a.example.test')).toBeNull();
    });
  });
}
