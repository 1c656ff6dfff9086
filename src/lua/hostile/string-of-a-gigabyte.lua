function agent.resolve()
  return { system = string.rep("x", 1 << 30) }
end
