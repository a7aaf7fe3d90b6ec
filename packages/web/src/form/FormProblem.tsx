import { Alert } from '../ui/Alert.tsx';

/** What is wrong with a form as a whole, above its fields. */
export function FormProblem({ problem }: { problem: string | undefined }) {
  return problem ? <Alert type="error">{problem}</Alert> : null;
}
