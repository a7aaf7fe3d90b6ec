import * as z from 'zod/mini';
import { attribute } from './attribute.ts';
import { described } from './entity.ts';
import { field } from './field.ts';

const NOTES_MAX_CHARS = 2000;
/** So many tags narrow a list down at once. */
export const TAG_FILTERS_MAX = 10;

/** What is noted about a node, a domain or a service for people to find and to read; nothing is done with it. */
export const noteAttributes = {
  tags: attribute.initially(
    [],
    field.tags(),
    'Tags to find it by: at most 100, each at most 40 characters, no commas.',
  ),
  notes: attribute.optional(field.lines(NOTES_MAX_CHARS), 'What there is to know about it: plain text, several lines.'),
};

/** The filter of a list whose rows have tags. */
export const tagFilter = {
  tag: z.optional(
    described(
      field.repeated(field.tags(TAG_FILTERS_MAX)),
      'Only those with this tag, in any case; given again, ten times at most: with all of them.',
    ),
  ),
};
