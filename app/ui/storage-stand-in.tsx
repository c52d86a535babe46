// No quotes and no angle brackets: they would be escaped.
const STAND_IN =
  'try{sessionStorage}catch{Object.defineProperty(self,`sessionStorage`,{value:{getItem(){return null},setItem(){},removeItem(){}}})}';

/**
 * Browsers that refuse cookies throw at every use of their session storage, and the router does not expect it: there
 * one stands in that keeps nothing. Before the first script that uses it.
 */
export function StorageStandIn({ nonce }: { nonce: string | undefined }) {
  return (
    <script nonce={nonce} suppressHydrationWarning>
      {STAND_IN}
    </script>
  );
}
