export const handle = { page: 'home' };

export default function HomePage() {
  return <h1>Quadrille</h1>;
}
