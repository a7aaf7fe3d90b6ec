/**
 * A session belongs to a key of the browser where there is one, and is kept until its end with the reason why it ended
 * sooner. What stood in the cookies of before was a token that worked by itself, so those sessions end.
 */
export const sessionKeys = `
delete from sessions;
alter table sessions add column key_thumbprint text;
alter table sessions add column ended text;
`;
