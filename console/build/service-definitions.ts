/**
 * Gives the applications definitions of the service whose code does not run in a browser: the functions that scripts can call,
 * the members of `Data`, and the shape of an endpoint. They are read from the code while the application is built.
 */
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

type Module = Readonly<Record<string, unknown>>

const service = new URL('../../src/', pathToFileURL(`${import.meta.dirname}/`))

/** The configuration is bundled before it runs; what is imported by a computed address is not. */
const load = (file: string): Promise<Module> => import(new URL(file, service).href)

const definitions: Readonly<Record<string, () => Promise<Module>>> = {
  'virtual:script-functions': async () => {
    const [{ library }, { hostFunctions }, { dataMembers }, { responseMembers }] = await Promise.all([
      load('script/stdlib/library.ts'),
      load('automation/host/host-functions.ts'),
      load('automation/endpoint/data-members.ts'),
      load('automation/endpoint/response-members.ts'),
    ])
    return { library, hostFunctions, dataMembers, responseMembers }
  },
  'virtual:endpoint-shape': async () => {
    const { EndpointDefinition } = await load('schema/endpoint-shapes.ts')
    return { endpointShape: EndpointDefinition }
  },
}

export const serviceDefinitions = (): Plugin => ({
  name: 'service-definitions',
  resolveId: {
    filter: { id: /^virtual:/ },
    handler: (source) => (Object.hasOwn(definitions, source) ? `\0${source}` : null),
  },
  load: {
    filter: { id: /^\0virtual:/ },
    handler: async (id) => {
      const definition = definitions[id.slice(1)]
      if (definition === undefined) return null
      // Bodies of functions are left out: JSON has none.
      return Object.entries(await definition())
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
        .join('\n')
    },
  },
})
