import * as z from 'zod/mini';

/** The mark in a field's JSON schema. */
export const OF_FORMS = 'x-of-forms';

/** Marks a field in which a form remembers something about itself: anyone who has no form leaves it out. */
export const ofForms = <S extends z.ZodMiniType>(schema: S): S => schema.check(z.meta({ [OF_FORMS]: true }));
