function agent.resolve()
  return { system = "x", messages = { { content = print } } }
end
