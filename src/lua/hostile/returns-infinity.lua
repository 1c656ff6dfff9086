function agent.resolve()
  return { score = math.huge }
end
