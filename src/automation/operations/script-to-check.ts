/** What is checked without running: the script of an endpoint, or a module. */
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { PublishedModule } from '../../schema/module-shapes.ts'

export type Script = Pick<EndpointDefinition, 'script'> & {
  /** The modules that it imports, directly or through others. */
  readonly modules?: readonly PublishedModule[]
  /** Its name when it is itself a module. */
  readonly moduleName?: string | undefined
}
