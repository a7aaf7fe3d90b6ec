import { afterEach, beforeEach } from 'vitest';
import { beginTest, endTest } from './openConsole.tsx';

// Runs once for each test file, which what it imports does not.
beforeEach(beginTest);
afterEach(endTest);
