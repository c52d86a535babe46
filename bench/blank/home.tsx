import type { MetaFunction } from '@remix-run/node';

export const meta: MetaFunction = () => [{ title: 'Blank' }];

export default function HomePage() {
  return <h1>Hello</h1>;
}
