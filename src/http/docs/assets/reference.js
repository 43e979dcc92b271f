/* Starts Swagger UI in a page of the reference. The page says which document it shows. */

/** A search over the operations, in place of Swagger UI's own, which looks at tags only. */
const search = ({ React }) => ({
  components: {
    FilterContainer: ({ layoutActions, layoutSelectors }) => {
      const text = layoutSelectors.currentFilter()
      const input = React.createElement('input', {
        className: 'search',
        type: 'search',
        placeholder: 'Search operations',
        'aria-label': 'Search operations',
        value: typeof text === 'string' ? text : '',
        onChange: ({ target }) => layoutActions.updateFilter(target.value),
      })
      return React.createElement('div', { className: 'wrapper' }, input)
    },
  },
  fn: {
    /** @param tagged for each tag its operations, as maps of Immutable.js */
    opsFilter: (tagged, text) => {
      const words = text.toLowerCase().split(/\s+/)
      const isFound = (tag, operation) => {
        const described = ['operationId', 'summary', 'description'].map((name) =>
          operation.getIn(['operation', name], ''),
        )
        const haystack = [tag, operation.get('method'), operation.get('path'), ...described]
          .join(' ')
          .toLowerCase()
        return words.every((word) => haystack.includes(word))
      }
      return tagged
        .map((group, tag) =>
          group.update('operations', (operations) =>
            operations.filter((operation) => isFound(tag, operation)),
          ),
        )
        .filter((group) => group.get('operations').size > 0)
    },
  },
})

/** Begins Authorize at its first field, the API key. Each field takes the focus when it appears, so the last one would have it. */
const firstField = ({ React }) => ({
  wrapComponents: {
    authorizationPopup: (Popup) =>
      class extends React.Component {
        componentDidMount() {
          document.querySelector('.auth-container input')?.focus()
        }

        render() {
          return React.createElement(Popup, this.props)
        }
      },
  },
})

window.addEventListener('load', () => {
  window.SwaggerUIBundle({
    // Swagger UI resolves relative addresses of servers against it.
    url: new URL(document.body.dataset.document, location.href).href,
    dom_id: '#swagger-ui',
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [search, firstField],
    layout: 'BaseLayout',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    filter: true,
    tryItOutEnabled: true,
    // Swagger UI would otherwise send the document to a validator elsewhere.
    validatorUrl: null,
  })
})
