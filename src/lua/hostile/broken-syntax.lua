function agent.resolve()
  return { system = }
end
