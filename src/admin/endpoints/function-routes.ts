/** The functions that scripts of endpoints can call: what an editor completes and explains. */
import Type from '../../kernel/type.ts'
import { parameterKinds } from '../../script/values.ts'
import type { ResourceRoutes } from '../admin-deps.ts'

const ScriptFunction = Type.Object({
  name: Type.String({ description: 'Name; letter case matters', examples: ['PadLeft'] }),
  subject: Type.String({ description: 'What it is about', examples: ['Text'] }),
  isLibrary: Type.Boolean({
    description: 'Whether the script language has it; the others come from this service',
  }),
  aliasOf: Type.Optional(Type.String({ description: 'The function that it is another name of' })),
  parameters: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['text'] }),
      kind: Type.Enum([...parameterKinds], { description: 'The values that it accepts' }),
      optional: Type.Boolean(),
    }),
    { description: 'In their order; optional ones are last' },
  ),
  returns: Type.String({ description: 'What it gives, in a few words', examples: ['string'] }),
  about: Type.String({ description: 'What it does, in Markdown' }),
})

export const functionRoutes: ResourceRoutes = (add) => {
  add({
    method: 'GET',
    path: '/endpoints/functions',
    operationId: 'listScriptFunctions',
    role: 'viewer',
    tag: 'Endpoints',
    summary: 'List the functions that scripts can call, sorted by name',
    description:
      'The standard library of the script language and the functions of this service. One of the service replaces one of the library with the same name.',
    answer: {
      description: 'All functions',
      shape: Type.Object({
        items: Type.Array(ScriptFunction),
        next: Type.Null(),
        total: Type.Integer({ description: 'How many items' }),
      }),
    },
    handle: async () => {
      functions ??= await described()
      return { items: functions, next: null, total: functions.length }
    },
  })
}

let functions: Awaited<ReturnType<typeof described>> | undefined

/** Loaded with the first request, because few threads answer one. */
async function described() {
  const { hostFunctions } = await import('../../automation/host/host-functions.ts')
  const { libraryFunctions } = await import('../../script/script.ts')
  const replaced = new Set(hostFunctions.map(({ name }) => name))
  const all = [
    ...hostFunctions.map((one) => ({ ...one, isLibrary: false })),
    ...libraryFunctions.filter(({ name }) => !replaced.has(name)).map((one) => ({ ...one, isLibrary: true })),
  ]
  return all
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, category, isLibrary, aliasOf, parameters, returns, about }) => ({
      name,
      subject: category,
      isLibrary,
      ...(aliasOf !== undefined && { aliasOf }),
      parameters: parameters.map(({ name: parameter, kind, optional }) => ({
        name: parameter,
        kind,
        optional,
      })),
      returns,
      about,
    }))
}
