import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { Field } from './Field.tsx';
import { ListInput } from './ListInput.tsx';

function Demo({ start, errors }: { start: string[]; errors?: (string | undefined)[] }) {
  const [values, setValues] = useState(start);
  return (
    <Field label="Allowed IPs" as="group">
      <ListInput rowLabel="Allowed IP" values={values} onChange={setValues} errors={errors} />
    </Field>
  );
}

const values = () => screen.queryAllByRole('textbox').map((input) => (input as HTMLInputElement).value);

it('adds a row and puts the focus into it', async () => {
  render(<Demo start={['192.0.2.1']} />);
  fireEvent.click(screen.getByRole('button', { name: 'Add Allowed IP' }));
  expect(values()).toEqual(['192.0.2.1', '']);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Allowed IP 2')));
});

it('changes and removes the row that was meant', () => {
  render(<Demo start={['a', 'b', 'c']} />);
  fireEvent.change(screen.getByLabelText('Allowed IP 3'), { target: { value: 'd' } });
  fireEvent.click(screen.getByRole('button', { name: 'Remove Allowed IP 2' }));
  expect(values()).toEqual(['a', 'd']);
});

it('shows an error next to its row and belongs to the group', () => {
  render(<Demo start={['192.0.2.1', 'x']} errors={[undefined, 'Not an address']} />);
  const row = screen.getByLabelText('Allowed IP 2');
  expect(row.getAttribute('aria-invalid')).toBe('true');
  expect(document.getElementById(row.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Not an address');
  expect(screen.getByLabelText('Allowed IP 1').getAttribute('aria-invalid')).toBeNull();
  expect(screen.getByRole('group', { name: 'Allowed IPs' })).toBeTruthy();
});
