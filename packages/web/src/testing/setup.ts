import { configure } from '@testing-library/react';
import { afterEach, beforeEach } from 'vitest';
import { beginTest, endTest } from './openConsole.tsx';

// An event is awaited for so long; a busy machine brings it late, and its absence is a fault all the same.
configure({ asyncUtilTimeout: 20_000 });

// Runs once for each test file, which what it imports does not.
beforeEach(beginTest);
afterEach(endTest);
