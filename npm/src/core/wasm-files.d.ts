/** As the build gives them: base64 text where they are inlined, a module where the host compiles. */
declare module "*.wasm" {
  const content: string;
  export default content;
}
