/** A reporter of Vitest: why tests were skipped, each reason once, at the end. Its other reporters keep that to themselves. */
export default class SkipReasons {
  onTestRunEnd(modules) {
    const counts = new Map();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const { note } = test.result();
        if (note !== undefined) counts.set(note, (counts.get(note) ?? 0) + 1);
      }
    }
    for (const [note, count] of counts) process.stdout.write(`skipped ${count}: ${note}\n`);
  }
}
