/**
 * Other ways to write `/team/Admin.1` and what is below it, each a path that some server takes for it: case, percent
 * signs, path parameters, backslashes, repeated slashes, dots, and what Windows cuts off a name. The path needs an open
 * `/team/Admin.1/free` below it.
 */
export const SPELLINGS = [
  '/team/Admin.1',
  '/team/Admin.1/',
  '/team/Admin.1/x',
  '/team/Admin.1?x',
  '//team///Admin.1/x',
  '/team/admin.1/x',
  '/TEAM/ADMIN.1',
  '/Team/Admin.1',
  '/team/%41dmin%2e1/x',
  '/team/%61dmin.1',
  '/team/Admin.1;v=1/x',
  '/team;a/Admin.1/x',
  '/team;a=%2f/Admin.1',
  '/;/team/Admin.1/x',
  '/team/Admin.1%3bv/x',
  '/team%5cAdmin.1/x',
  '/team/Admin.1%5cx',
  '/team%2fAdmin.1%2fx',
  '/%5cteam%5C%5Cadmin.1',
  '/team/%2541dmin.1/x',
  '/team/%252541dmin%252e1',
  '/team%252fAdmin.1',
  '/team/Admin.1%253bv/x',
  '/team%255cadmin.1',
  '/open/..;/team/Admin.1',
  '/;a%2fb/team/Admin.1',
  '/;a%5cb/team/Admin.1/x',
  '/open/..%5cteam/Admin.1',
  '/open/%252e%252e/team/Admin.1',
  '/open/..%2fteam/Admin.1',
  '/open/..%c0%afteam/Admin.1',
  '/open/..%e0%80%afteam/Admin.1',
  '/open/..%F0%80%80%AFteam/Admin.1',
  '/open;/../team/Admin.1',
  '/./team/Admin.1',
  '/team/adm%C4%B1n.1/../Admin.1',
  '/team/adm%C4%B1n.1',
  '/team/ADM%C4%B0N.1/x',
  '/team/Admin.1%3f',
  '/team/Admin.1%23x',
  '/team/Admin.1%253F/x',
  '/team/Admin.1%2523',
  '/team/Admin.1%2500',
  '/team/Admin.1%2500x/y',
  // As Windows reads names.
  '/team/Admin.1.',
  '/team/ADMIN.1.%20./x',
  '/team/Admin.1%20',
  '/team%20/Admin.1',
  '/team/Admin.1%252e/x',
  '/team/Admin.1%2520;x',
  '/team/Admin.1::$DATA',
  '/team/Admin.1%253a:$DATA',
  '/team/Admin.1%0a',
  '/team./Admin.1%09/x',
  '/%20/team/.../Admin.1',
  '/;a=b/team/Admin.1%3f',
  '/team/ADMIN.1;v%3fx',
  '/team/Admin.1/FREE',
  '/team/ADMIN.1/free',
  '/team/Admin.1/free/..%2fx',
] as const;

/** Paths that are none of them, however alike. */
export const OTHER_PATHS = [
  '/',
  '/team',
  '/team/',
  '/TEAM/x;v=1',
  '/Team/x',
  '/team/Admin.10',
  '/team/Admin-1',
  '/team/Admin.1%20x',
  '/team/Admin.1.txt',
  '/team/Admin.1..a',
  '/team/x%3f',
  '/x%23/team/Admin.1',
  '/x/team/Admin.1',
  '/team/Adminx1',
  '/team/AdminX/Admin.1',
  '/a%20b;jsessionid=1/C',
  '/%5cfile',
  '/100%25',
  '/x?p=/team/Admin.1',
  '/a;/b',
  '/team;Admin.1',
  '/team/Admin.1/free',
  '/team/Admin.1/free/x;y',
] as const;

/** What stands before a part that is repeated, that part, and what stands behind it. */
type Long = readonly [before: string, repeated: string, after: string];

/**
 * The same, of any length. What a pattern needs for a long path may be more than its engine has, and nginx takes that for no
 * match.
 */
export const LONG_SPELLINGS: readonly Long[] = [
  ['/open/..%3b/team/Admin.1/%', '25', ''],
  ['/team;%25', '25', '/Admin.1'],
  ['/%', '25', '2fteam/Admin.1'],
  ['/', '%25', '/..;/team/Admin.1'],
  ['/team/Admin.1%', '25', '3fx'],
  ['/team/%', '25', '41dmin.1'],
  ['/', '/', 'team/Admin.1'],
  ['/', '%5c', 'team/Admin.1'],
  ['/', '%252f', 'team/Admin.1'],
  ['/', ';', '/team/Admin.1'],
  ['/', ';/', 'team/Admin.1'],
  ['/', ';x/', 'team/Admin.1'],
  ['/team;', '%2500', '/Admin.1'],
  ['/team;', 'x', '/Admin.1'],
  ['/;', '%2f', '/team/Admin.1'],
  ['/open/..;', 'x', '/team/Admin.1'],
  ['/open/..;/team/Admin.1/', 'x', ''],
  ['/team/Admin.1;', '%25', ''],
  ['/open/', '%2e', '/..;/team/Admin.1'],
  ['/team/ADMIN.1/', 'x/', ''],
  ['/team/ADMIN.1?', '%25', ''],
  ['/;%25', '25', '/team/Admin.1'],
  ['/;%25', '25', '/TEAM/ADMIN.1/x'],
  ['/team/Admin.1', '.', '/x'],
  ['/team/Admin.1', '%2520', ''],
  ['/team/Admin.1%', '25', '00'],
];

/** Paths of such a spelling, up to about the longest that nginx reads. */
export const spelledAtLength = ([before, repeated, after]: Long): string[] =>
  [4000, 8000, 12_000, 15_000, 16_000].map(
    (chars) => before + repeated.repeat(Math.floor(chars / repeated.length)) + after,
  );
