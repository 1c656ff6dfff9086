function agent.resolve()
  return { messages = { [1] = "first", [3] = "third" } }
end
