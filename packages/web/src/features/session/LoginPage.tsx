import { isApiError } from '@sallyport/sdk';
import { check, loginInput } from '@sallyport/sdk/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { useConnection } from '../../data/connection.ts';
import { links, OutsideLink } from '../../data/links.tsx';
import { afterPress, useTitle } from '../../state/browser.ts';
import { lookForUpdate } from '../../state/consoleUpdate.ts';
import { safePath } from '../../state/session.ts';
import { useStore, VISITS_KEY, write } from '../../state/store.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { PasswordInput } from '../../ui/controls/PasswordInput.tsx';
import { TextInput } from '../../ui/controls/TextInput.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Mark } from '../../ui/layout/Brand.tsx';

/** What a failed sign-in says; an error without a response is passed on as it is. */
function loginFailure(error: unknown): string {
  if (isApiError(error, 'throttled')) return 'Too many attempts, try again later';
  return isApiError(error, 'unreachable') ? error.message : 'Invalid Credentials';
}

type LoginField = 'username' | 'password';

/** What is wrong with one field; undefined when nothing is. */
function problemOf(name: LoginField, values: Record<LoginField, string>): string | undefined {
  const checked = check(loginInput, values);
  return checked.ok ? undefined : checked.problems.find(({ field }) => field === name)?.message;
}

/**
 * Signs the administrator in and goes on to the page that was asked for. Two fields, without the form library and the
 * query cache: this is the first page that a browser loads.
 */
export function LoginPage() {
  useTitle('Sign in');
  const { session } = useConnection();
  const notice = useStore(session.notice);
  const navigate = useNavigate();
  const { redirect } = useSearch({ from: '/login' });
  const [values, setValues] = useState({ username: '', password: '' });
  const [touched, setTouched] = useState({ username: false, password: false });
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const username = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The page is for nothing else, so there is nothing to pass by.
    username.current?.focus();
    write(VISITS_KEY, '');
  }, []);

  const submit = async () => {
    setTouched({ username: true, password: true });
    if (!check(loginInput, values).ok) return;
    setFailure(null);
    session.notice.set(null);
    setBusy(true);
    try {
      await session.signIn(values);
      await navigate({ href: safePath(redirect), replace: true });
    } catch (error) {
      if (isApiError(error, 'mismatch')) void lookForUpdate();
      setFailure(loginFailure(error));
      // To be typed over: it is what is wrong most often.
      password.current?.focus();
      password.current?.select();
    } finally {
      setBusy(false);
    }
  };
  const control = (name: LoginField) => ({
    name,
    value: values[name],
    onChange: (event: { target: { value: string } }) =>
      setValues((before) => ({ ...before, [name]: event.target.value })),
    onBlur: () => afterPress(() => setTouched((before) => ({ ...before, [name]: true }))),
  });
  const errorOf = (name: LoginField) => (touched[name] ? problemOf(name, values) : undefined);

  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-5 px-3 py-8">
      <div className="flex items-center gap-3">
        <Mark size={36} />
        <span className="text-xl font-semibold tracking-tight">Sallyport</span>
      </div>
      <div className="w-full max-w-88 rounded-lg border border-line bg-surface p-6 shadow-card">
        <h1 className="mb-4 text-lg font-semibold tracking-tight">Sign in</h1>
        <div className="flex flex-col gap-4">
          {notice === null ? null : (
            <Alert type="warning" onClose={() => session.notice.set(null)}>
              {notice}
            </Alert>
          )}
          {failure === null ? null : (
            <Alert type="error" onClose={() => setFailure(null)}>
              {failure}
            </Alert>
          )}
          <form
            noValidate
            className="flex flex-col gap-4"
            onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
              event.preventDefault();
              if (!busy) void submit();
            }}
          >
            <Field label="Username" error={errorOf('username')}>
              <TextInput
                {...control('username')}
                ref={username}
                aria-required
                autoComplete="username"
                spellCheck={false}
              />
            </Field>
            <Field label="Password" error={errorOf('password')}>
              <PasswordInput {...control('password')} ref={password} aria-required />
            </Field>
            <Button type="submit" variant="info" loading={busy} className="w-full">
              Sign in
            </Button>
          </form>
        </div>
      </div>
      <p className="max-w-88 text-center text-xs text-muted">
        By signing in you accept the{' '}
        <OutsideLink to={links.terms} className="link">
          terms of service
        </OutsideLink>
        .
      </p>
    </main>
  );
}
