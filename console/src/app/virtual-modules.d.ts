declare module 'virtual:theme.css'

declare module 'virtual:script-functions' {
  type Signature = import('../parts/script/signatures.ts').FunctionSignature

  export const library: readonly Signature[]
  export const hostFunctions: readonly Signature[]
  export const dataMembers: readonly (readonly [path: string, about: string])[]
  export const responseMembers: readonly string[]
}

declare module 'virtual:endpoint-shape' {
  export const endpointShape: import('../parts/shape-form/shape.ts').ObjectShape
}
