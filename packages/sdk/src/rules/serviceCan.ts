import type { HttpService } from '../contract/httpService.ts';
import { allowed, refused, type Verdict } from './verdict.ts';

/** A service of either kind; only an HTTP service can be built in. */
type AnyService = { id?: number; builtin?: boolean };

const unlessBuiltin =
  (reason: string) =>
  (service: AnyService): Verdict =>
    service.builtin === true ? refused(reason) : allowed;

/** What may be done to a service: the gateway's own console can be neither closed nor deleted. */
export const serviceCan = {
  enable: unlessBuiltin("The built-in console service can't be disabled or enabled"),
  disable: unlessBuiltin("The built-in console service can't be disabled or enabled"),
  remove: unlessBuiltin("The built-in console service can't be deleted"),
};

/** The fields of the built-in console service that its flag locks. */
export const builtinLockedFields = [
  'name',
  'pathLocation',
  'backendProto',
  'backendHost',
  'backendPort',
  'requireAuth',
  'skipAuthRoutes',
] as const satisfies readonly (keyof HttpService)[];
