import { useState } from 'react';
import { Alert } from '../src/ui/Alert.tsx';
import { Button } from '../src/ui/Button.tsx';
import { Field } from '../src/ui/Field.tsx';
import { LoginFrame } from '../src/ui/LoginFrame.tsx';
import { PasswordInput } from '../src/ui/PasswordInput.tsx';
import { TextInput } from '../src/ui/TextInput.tsx';

export function LoginDemo() {
  const [failed, setFailed] = useState(true);
  return (
    <LoginFrame
      title="Sign in"
      footer={
        <>
          By signing in you accept the{' '}
          <a className="link" href="#login">
            terms of service
          </a>
          .
        </>
      }
    >
      {failed ? (
        <Alert type="error" onClose={() => setFailed(false)}>
          Invalid Credentials
        </Alert>
      ) : null}
      <Field label="Username">
        <TextInput autoComplete="username" />
      </Field>
      <Field label="Password">
        <PasswordInput />
      </Field>
      <Button variant="info" size="default" className="w-full">
        Sign in
      </Button>
    </LoginFrame>
  );
}
